#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/version_rules.hpp"
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

/// What rules of versions know of the driver. Of which company it is, is not known before it is
/// submitted.
DriverNames names_of(const spark::RequestSubmitDriver& x,
                     const std::string& user);

/// The user that a submitter's environment names; empty: none.
std::string user_of(const spark::RequestSubmitDriver& x);

// -- of which version it is ---------------------------------------------------
// What a submitter says looks the same in several versions.

struct SubmitterVersion {
  std::string version;

  /// Who said it, for logs.
  std::string why;
};

/// What the submitter's environment says in STOKER_SPARK_VERSION. None: nothing, or a release
/// that its messages do not agree with.
/// @param agreed what its messages agree with, the newest first
std::optional<SubmitterVersion>
stated_version(const std::vector<std::string>& agreed,
               const spark::RequestSubmitDriver& x);

/// The submitter's SPARK_HOME. Empty: it names none.
std::string spark_home_of(const spark::RequestSubmitDriver& x);

/// The version of the Spark there. None: its messages do not agree with that.
std::optional<SubmitterVersion>
version_at_home(const std::vector<std::string>& agreed,
                const std::string& found);

/// The newest that a worker has, or else the newest.
/// @param of_workers all versions that workers have
SubmitterVersion assumed_version(const std::vector<std::string>& agreed,
                                 const std::vector<std::string>& of_workers);

// The content of answers, in the form of the submitter's version.

std::string to_content(const spark::VersionTable& table,
                       const SubmitDriverResponse& x);
std::string to_content(const spark::VersionTable& table,
                       const KillDriverResponse& x);
std::string to_content(const spark::VersionTable& table,
                       const DriverStatusResponse& x);

} // namespace stoker
