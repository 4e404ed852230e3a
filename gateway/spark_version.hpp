#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/spark_answers.hpp"
#include "messages/descriptions.hpp"
#include "messages/result.hpp"

namespace stoker {

// Of which version the Spark of a driver is. Its messages may look the same in several
// releases, and do not tell patch levels apart: so its settings may say it, else its page is
// asked, once it is registered. Where neither says it, a rule of the administrator's may, and
// without one the newest version is taken that the messages agree with. Meanwhile the master
// starts executors if workers leave no choice (scheduling/master/spark_versions.hpp).

/// Looks at a registration, and puts the version into its program: none, if somebody has to
/// be asked, who is returned then.
/// @param tables what its messages agree with, the newest first
/// @param shown the driver, for logs
std::optional<OpenVersion>
begin_version(SparkPeerSelf self,
              const std::vector<const spark::VersionTable*>& tables,
              const std::string& shown, ApplicationDescription& description);

/// The last leader may have died before it knew the version.
std::optional<OpenVersion>
continue_version(const FrameConnection& connection,
                 const ApplicationDescription& description);

/// Asks for what is not known, or tells the master what is. For a driver that is registered.
void find_version(SparkPeerSelf self);

/// The driver's page has said its version, or why it does not.
void hear_version(SparkPeerSelf self, const Result<std::string>& version);

} // namespace stoker
