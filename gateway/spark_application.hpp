#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/application.hpp"
#include "messages/result.hpp"
#include "scheduling/application/application_events.hpp"
#include "spark/messages.hpp"
#include "spark/version_tables.hpp"

namespace stoker {

// How an application of Spark's looks to a master of ours, and the other way.

/// What a driver registers, and how its program is started. Settings for tenants are
/// read from the options of its executors' JVM (`-Dspark.app.task.memory.mb=512`), where
/// Spark puts what `spark.executor.extraJavaOptions` has. Since Spark refuses names there that
/// begin with `spark.`, `stoker.` stands for that, too.
/// `spark.app.cores.max` limits as `spark.cores.max` does. Fails with
/// `Errc::invalid_request` for figures that cannot be.
/// @param version Of the table that the driver's messages agree with, as "3.5.9".
Result<ApplicationDescription>
to_description(const spark::RegisterApplication& x, const std::string& version);

/// Whose an application may be: first the user that Hadoop knows (`HADOOP_USER_NAME`, or of a
/// ticket), then the one who runs the driver.
std::vector<std::string> users_of(const spark::RegisterApplication& x);

/// Reads how many executors a driver wants.
/// @return Their number. Fails with `Errc::invalid_request` if it wants executors of another
/// resource profile than the default one, and names the profile and its executors.
Result<int> wanted_executors(const spark::RequestExecutors& x);

/// The executors with these numbers; what is no number is left out.
std::vector<int> executor_ids(const std::vector<std::string>& x);

/// What a driver is told, as the content of a message in the form of its version. Nothing:
/// it is not told.
std::optional<std::string> to_content(const spark::VersionTable& table,
                                      const ApplicationNews& news,
                                      const spark::RpcAddress& master);

} // namespace stoker
