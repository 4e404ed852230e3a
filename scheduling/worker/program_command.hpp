#pragma once

#include <map>
#include <string>

#include "messages/result.hpp"
#include "scheduling/worker/worker_step.hpp"

namespace stoker {

// What a worker really starts: the user's command with an environment that says
// who and where the program is. The worker's variables win over the user's, so
// that a program cannot pass for another one. Both fail if it is a program of Spark's
// that cannot be started here.

Result<Command> executor_command(const WorkerStep& step,
                                 const LaunchExecutor& order,
                                 const std::string& directory);

Result<Command> driver_command(const WorkerStep& step, const DriverId& id,
                               const DriverDescription& description,
                               const ResourceAddresses& resources,
                               const std::string& directory);

// What the program finds in its directory: texts by the names of files.

std::map<std::string, std::string> executor_files(const LaunchExecutor& order);

std::map<std::string, std::string>
driver_files(const DriverDescription& description,
             const ResourceAddresses& resources);

} // namespace stoker
