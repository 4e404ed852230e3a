#pragma once

#include <string>

#include "messages/driver.hpp"
#include "messages/result.hpp"
#include "spark/messages.hpp"
#include "spark/version_tables.hpp"

namespace stoker {

// How drivers that spark-submit hands in (--deploy-mode cluster) look to a master of ours,
// and the other way.

/// What is submitted. The program is one of Spark's: its jar is used where it is, so it has
/// to be a path, or a URL with `file:` or `local:`, that the driver's machine can read.
/// Fails with `Errc::invalid_request` for others.
/// @param user Who submits.
/// @param version Of the submitter's Spark, as "3.5.9".
Result<DriverDescription> to_description(const spark::RequestSubmitDriver& x,
                                         const std::string& user,
                                         const std::string& version);

/// The user that a submitter's environment names; empty: none.
std::string user_of(const spark::RequestSubmitDriver& x);

// The content of answers, in the form of the submitter's version.

std::string to_content(const spark::VersionTable& table,
                       const SubmitDriverResponse& x);
std::string to_content(const spark::VersionTable& table,
                       const KillDriverResponse& x);
std::string to_content(const spark::VersionTable& table,
                       const DriverStatusResponse& x);

} // namespace stoker
