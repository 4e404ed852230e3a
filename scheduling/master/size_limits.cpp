#include "scheduling/master/size_limits.hpp"

#include <cstddef>
#include <initializer_list>

#include "messages/printable.hpp"
#include "scheduling/common/limits.hpp"

namespace stoker {

namespace {

/// Something that has a size, and the largest that it may have.
struct Measured {
  const char* what;
  std::size_t size;
  std::size_t max;
};

Status check(std::initializer_list<Measured> all) {
  for (const auto& x : all)
    if (x.size > x.max)
      return invalid(std::string{x.what}
                     + " is too large: " + std::to_string(x.size)
                     + ", and at most " + std::to_string(x.max) + " is taken");
  return {};
}

std::size_t bytes_of(const Command& x) {
  auto result = x.search_path.size() + x.working_directory.size();
  for (const auto& argument : x.arguments)
    result += argument.size() + 1;
  for (const auto& [name, value] : x.environment)
    result += name.size() + value.size() + 2;
  for (const auto& file : x.files)
    result += file.name.size() + file.sha256.size() + 2;
  if (!x.spark)
    return result;
  const auto& spark = *x.spark;
  result += spark.version.size() + spark.main_class.size() + spark.jar.size();
  for (const auto* texts : {&spark.class_path_entries,
                            &spark.library_path_entries, &spark.java_options})
    for (const auto& text : *texts)
      result += text.size() + 1;
  return result;
}

std::size_t bytes_of(const std::optional<EndHook>& x) {
  return x ? bytes_of(x->command) : 0;
}

std::size_t bytes_of_arguments(const ApplicationDescription& x) {
  std::size_t result = 0;
  if (x.instances)
    for (const auto& argument : x.instances->arguments)
      result += argument.size() + 1;
  return result;
}

Status check_program(const std::string& name, const std::string& user,
                     const Command& command, const ResourceAmounts& resources) {
  return check(
      {{"the name", name.size(), name_bytes_max},
       {"the user's name", user.size(), name_bytes_max},
       {"the command with its environment", bytes_of(command),
        command_bytes_max},
       {"the number of kinds of resources", resources.size(), kinds_max}});
}

} // namespace

Status check_sizes(const RegisterWorker& x) {
  return check(
      {{"the worker's id", x.id.value.size(), id_bytes_max},
       {"the worker's endpoint", x.worker.value.size(), id_bytes_max},
       {"the host's name", x.host.size(), id_bytes_max},
       {"the number of kinds of resources", x.resources.size(), kinds_max},
       {"the number of versions of Spark", x.spark_versions.size(),
        kinds_max}});
}

Status check_sizes(const RegisterApplication& x) {
  const auto& description = x.description;
  auto program
      = check_program(description.name, description.user, description.command,
                      description.resources_per_executor);
  if (!program)
    return program;
  if (auto hosts = check_sizes(description.preferred_hosts); !hosts)
    return hosts;
  auto spark = description.spark_driver.value_or(SparkDriver{});
  return check({{"the driver's endpoint", x.driver.value.size(), id_bytes_max},
                {"the list of arguments of instances",
                 bytes_of_arguments(description), instance_arguments_bytes_max},
                {"the program that follows its end with its environment",
                 bytes_of(description.on_end), hook_bytes_max},
                {"the number of those that it waits for",
                 description.after.size(), dependencies_max},
                {"the driver's host", spark.host.size(), id_bytes_max},
                {"the address of the driver's page", spark.ui_url.size(),
                 name_bytes_max},
                {"the number of versions that the driver may have",
                 spark.possible_versions.size(), kinds_max}});
}

Status check_sizes(const RequestSubmitDriver& x) {
  const auto& description = x.driver_description;
  auto program = check_program(description.name, description.user,
                               description.command, description.resources);
  if (!program)
    return program;
  auto kinds = description.executors ? description.executors->resources.size()
                                     : std::size_t{0};
  return check({{"the program that follows its end with its environment",
                 bytes_of(description.on_end), hook_bytes_max},
                {"the number of those that it waits for",
                 description.after.size(), dependencies_max},
                {"the submission's id", x.submission.size(), id_bytes_max},
                {"the number of kinds of resources", kinds, kinds_max}});
}

Status check_sizes(const std::map<std::string, int>& hosts) {
  auto checked
      = check({{"the number of preferred hosts", hosts.size(), hosts_max}});
  for (const auto& [host, wanted] : hosts)
    if (checked)
      checked = check({{"the host's name", host.size(), id_bytes_max}});
  return checked;
}

Status check_sizes(const ReportJobs& x) {
  auto checked
      = check({{"the number of jobs", x.jobs.size(), reported_jobs_max},
               {"the number of stages", x.stages.size(), reported_stages_max}});
  auto measure = [&](std::initializer_list<Measured> all) {
    if (checked)
      checked = check(all);
  };
  for (const auto& job : x.jobs)
    measure({{"a job's name", characters_of(job.name), reported_name_max},
             {"a pool's name", characters_of(job.pool), reported_name_max},
             {"the reason of a job's end", characters_of(job.message),
              reported_text_max}});
  for (const auto& stage : x.stages)
    measure(
        {{"a stage's name", characters_of(stage.name), reported_name_max},
         {"the number of a stage's jobs", stage.jobs.size(), reported_jobs_max},
         {"the reason why a stage waits", characters_of(stage.waits),
          reported_text_max}});
  return checked;
}

} // namespace stoker
