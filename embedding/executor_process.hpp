#pragma once

#include <map>
#include <string>

#include "executor/task_function.hpp"
#include "messages/ids.hpp"
#include "messages/result.hpp"

namespace stoker {

/// The name under which executors and their driver prove the application's secret to
/// each other: the application has no id yet when the driver begins to listen.
AppId driver_name();

/// The environment of this process, by name.
std::map<std::string, std::string> process_environment();

/// Whether a worker has started this process as executor of an application. The first
/// thing that the main function of a program asks whose functions are tasks: then it
/// calls `run_executor` and exits.
bool is_executor(const std::map<std::string, std::string>& environment);

/// What this process is, as the executor of an application: its environment says it,
/// see messages/task_environment.hpp. Runs tasks until the driver ends it, or is gone,
/// or SIGTERM comes. Returns why it ended; fails if it cannot begin. Takes what is of
/// this executor alone, as the secret, out of the process's environment. A task that is a
/// function and does not return when it is told to is given 2 seconds: then this process
/// ends with it.
/// @param functions Of this program. They stay until this returns.
Result<std::string>
run_executor(const std::map<std::string, std::string>& environment,
             const executor::TaskFunctions& functions = {});

} // namespace stoker
