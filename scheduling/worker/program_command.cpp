#include "scheduling/worker/program_command.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "messages/task_environment.hpp"
#include "scheduling/worker/resource_environment.hpp"

namespace stoker {

namespace {

/// What executors and drivers have in common.
struct Placed {
  int cores = 0;
  std::int64_t memory_mb = 0;
  const ResourceAddresses& resources;
  const std::string& directory;
};

/// The submitter's folders, and then those of the worker that are not among them.
std::string joined(const std::string& path, const std::string& own) {
  auto result = path;
  for (std::size_t begin = 0; begin < own.size();) {
    auto end = std::min(own.find(':', begin), own.size());
    auto folder = own.substr(begin, end - begin);
    if (!folder.empty()
        && (':' + path + ':').find(':' + folder + ':') == std::string::npos)
      result += ':' + folder;
    begin = end + 1;
  }
  return result;
}

Command with_environment(const WorkerStep& step, Command command,
                         std::map<std::string, std::string> identity,
                         const Placed& placed) {
  const auto& config = step.config;
  auto environment = std::move(identity);
  environment["STOKER_MASTER"]
      = config.masters.empty() ? step.master_url : config.masters;
  environment["STOKER_CORES"] = std::to_string(placed.cores);
  environment["STOKER_MEMORY_MB"] = std::to_string(placed.memory_mb);
  environment["STOKER_WORKER_ID"] = config.id.value;
  environment["STOKER_WORK_DIR"] = placed.directory;
  environment["STOKER_HOST"] = config.host;
  add_resources(placed.resources, environment);
  // Those that are set already stay.
  environment.merge(command.environment);
  auto inherited = config.environment;
  if (!command.search_path.empty()) {
    auto& path = inherited["PATH"];
    path = joined(command.search_path, path);
  }
  environment.merge(inherited);
  command.environment = std::move(environment);
  return command;
}

} // namespace

Command executor_command(const WorkerStep& step, const LaunchExecutor& order,
                         const std::string& directory) {
  std::map<std::string, std::string> identity{
      {"STOKER_APP_ID", order.app_id.value},
      {"STOKER_EXECUTOR_ID", std::to_string(order.exec_id)}};
  if (order.index)
    identity[task_environment::index] = std::to_string(*order.index);
  if (order.app_desc.instances)
    identity[task_environment::count]
        = std::to_string(order.app_desc.instances->count);
  return with_environment(
      step, order.app_desc.command, std::move(identity),
      {order.cores, order.memory_mb, order.resources, directory});
}

Command driver_command(const WorkerStep& step, const DriverId& id,
                       const DriverDescription& description,
                       const ResourceAddresses& resources,
                       const std::string& directory) {
  return with_environment(
      step, description.command, {{"STOKER_DRIVER_ID", id.value}},
      {description.cores, description.memory_mb, resources, directory});
}

} // namespace stoker
