#pragma once

#include <map>
#include <string>

#include "messages/ids.hpp"
#include "messages/result.hpp"

namespace stoker {

/// The name under which executors and their driver prove the application's secret to
/// each other: the application has no id yet when the driver begins to listen.
AppId driver_name();

/// What this process is, as the executor of an application: its environment says it,
/// see messages/task_environment.hpp. Runs tasks until the driver ends it, or is gone,
/// or SIGTERM comes. Returns why it ended; fails if it cannot begin.
Result<std::string>
run_executor(const std::map<std::string, std::string>& environment);

} // namespace stoker
