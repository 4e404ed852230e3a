#include "scheduling/worker/program_command.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "messages/shipped_program.hpp"
#include "messages/task_environment.hpp"
#include "scheduling/common/host_name.hpp"
#include "scheduling/worker/resource_environment.hpp"
#include "scheduling/worker/spark_command.hpp"
#include "scheduling/worker/spark_resources.hpp"

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
  command.arguments = words_in(command, placed.directory);
  auto environment = std::move(identity);
  environment["STOKER_MASTER"]
      = config.masters.empty() ? step.master_url : config.masters;
  environment["STOKER_CORES"] = std::to_string(placed.cores);
  environment["STOKER_MEMORY_MB"] = std::to_string(placed.memory_mb);
  environment["STOKER_WORKER_ID"] = config.id.value;
  environment["STOKER_WORK_DIR"] = placed.directory;
  environment["STOKER_HOST"] = config.host;
  // Spark's programs take their addresses for positions in CUDA_VISIBLE_DEVICES where it
  // is set.
  add_resources(placed.resources, environment, !command.spark);
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

/// Empty: a program without resources has no such file.
std::string resources_file(const std::string& directory,
                           const ResourceAddresses& resources) {
  return resources.empty() ? std::string{}
                           : directory + '/' + spark_resources_file;
}

std::map<std::string, std::string>
files_of(const Command& command, const std::string& component,
         const ResourceAddresses& resources) {
  if (!command.spark || resources.empty())
    return {};
  return {{spark_resources_file, spark_resources_text(component, resources)}};
}

SparkLaunch spark_launch(const WorkerStep& step, const LaunchExecutor& order,
                         const std::string& directory) {
  const auto& config = step.config;
  const auto& host
      = config.spark_host.empty() ? config.host : config.spark_host;
  return {order.memory_mb,
          {{"{{APP_ID}}", order.app_id.value},
           {"{{EXECUTOR_ID}}", std::to_string(order.exec_id)},
           {"{{HOSTNAME}}", bracketed(host)},
           {"{{CORES}}", std::to_string(order.cores)},
           // That of all executors that nobody has described otherwise.
           {"{{RESOURCE_PROFILE_ID}}", "0"}},
          step.directories.of_spark(order.app_id),
          std::nullopt,
          resources_file(directory, order.resources)};
}

/// Returns the options of each `spark-submit` that the driver runs, so that their
/// applications name it. The last option counts: another driver may have passed its own on.
std::string submit_options(const WorkerStep& step, const DriverId& id,
                           const Command& command) {
  for (const auto* environment :
       {&command.environment, &step.config.environment})
    if (auto own = environment->find(submit_options_variable);
        own != environment->end())
      return own->second + ' ' + driver_id_option(id);
  return driver_id_option(id);
}

/// The command of an order, with the environment that it has before the worker's.
Result<Command> own_command(const WorkerStep& step, const Command& command,
                            const SparkLaunch& launch) {
  if (command.spark)
    return spark_command(step.config, command, launch);
  return command;
}

} // namespace

Result<Command> executor_command(const WorkerStep& step,
                                 const LaunchExecutor& order,
                                 const std::string& directory) {
  auto command = own_command(step, order.app_desc.command,
                             spark_launch(step, order, directory));
  if (!command)
    return command;
  std::map<std::string, std::string> identity{
      {"STOKER_APP_ID", order.app_id.value},
      {"STOKER_EXECUTOR_ID", std::to_string(order.exec_id)}};
  if (order.index)
    identity[task_environment::index] = std::to_string(*order.index);
  if (order.app_desc.instances)
    identity[task_environment::count]
        = std::to_string(order.app_desc.instances->count);
  return with_environment(
      step, *std::move(command), std::move(identity),
      {order.cores, order.memory_mb, order.resources, directory});
}

Result<Command> driver_command(const WorkerStep& step, const DriverId& id,
                               const DriverDescription& description,
                               const ResourceAddresses& resources,
                               const std::string& directory) {
  auto command = own_command(step, description.command,
                             {description.memory_mb,
                              {},
                              {},
                              id,
                              resources_file(directory, resources)});
  if (!command)
    return command;
  std::map<std::string, std::string> identity{{driver_id_variable, id.value}};
  if (!description.command.spark)
    identity[submit_options_variable]
        = submit_options(step, id, description.command);
  // Its application belongs to the same user, although a JVM would take the worker's.
  if (description.command.spark && !description.user.empty())
    identity[spark_user_variable] = description.user;
  return with_environment(
      step, *std::move(command), std::move(identity),
      {description.cores, description.memory_mb, resources, directory});
}

std::map<std::string, std::string> executor_files(const LaunchExecutor& order) {
  return files_of(order.app_desc.command, "spark.executor", order.resources);
}

std::map<std::string, std::string>
driver_files(const DriverDescription& description,
             const ResourceAddresses& resources) {
  return files_of(description.command, "spark.driver", resources);
}

} // namespace stoker
