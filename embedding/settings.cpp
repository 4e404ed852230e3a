#include "embedding/settings.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

#include <boost/describe/enum_from_string.hpp>

#include "embedding/job_settings.hpp"
#include "scheduling/common/units.hpp"

namespace stoker {

namespace {

/// Takes a value; returns what was expected instead, if it is wrong.
using Setter = std::function<std::optional<std::string>(const std::string&)>;
using Setters = std::map<std::string, Setter>;

/// Settings whose names have the name of a resource in them: PREFIX.NAME.WHAT.
struct ResourceSetters {
  std::string prefix;

  /// By WHAT: takes the NAME.
  std::map<std::string, std::function<Setter(const std::string&)>> of;
};

/// What one part of the program takes.
struct Part {
  Setters exact;
  std::optional<ResourceSetters> resources;

  [[nodiscard]] Setter find(const std::string& name) const {
    if (auto i = exact.find(name); i != exact.end())
      return i->second;
    auto dot = name.rfind('.');
    if (!resources || !name.starts_with(resources->prefix)
        || dot <= resources->prefix.size())
      return {};
    auto i = resources->of.find(name.substr(dot + 1));
    if (i == resources->of.end())
      return {};
    auto length = dot - resources->prefix.size();
    return i->second(name.substr(resources->prefix.size(), length));
  }
};

template <class T, class Parse>
Setter setter(T& target, Parse parse, const char* expected) {
  return [&target, parse,
          expected](const std::string& text) -> std::optional<std::string> {
    auto value = parse(text);
    if (!value)
      return expected;
    target = *value;
    return std::nullopt;
  };
}

template <class T>
Setter count(T& target) {
  return setter(target, parse_count, "a whole number");
}

template <class T>
Setter memory(T& target) {
  return setter(target, parse_memory_mb, "a memory size like 512m or 4g");
}

Setter duration(Duration& target) {
  return setter(target, parse_duration, "a duration like 15s or 500ms");
}

Setter flag(bool& target) {
  return setter(target, parse_flag, "true or false");
}

/// An enumerator's name, in any case, as Spark takes them.
Setter policy(WorkerSelectionPolicy& target) {
  auto parse = [](const std::string& text) {
    std::string upper;
    for (auto c : text)
      upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    auto result = WorkerSelectionPolicy::CORES_FREE_DESC;
    return boost::describe::enum_from_string(upper.c_str(), result)
               ? std::optional{result}
               : std::nullopt;
  };
  return setter(target, parse,
                "one of CORES_FREE_DESC, CORES_FREE_ASC, MEMORY_FREE_DESC, "
                "MEMORY_FREE_ASC, WORKER_ID");
}

Setter text(std::string& target) {
  return setter(
      target, [](const std::string& x) { return std::optional{x}; }, "a text");
}

Setters setters_of(ClusterConfig& x) {
  return {
      {"spark.deploy.spreadOut", flag(x.spread_out)},
      {"spark.deploy.spreadOutApps", flag(x.spread_out)},
      {"spark.deploy.workerSelectionPolicy", policy(x.worker_selection)},
      {"spark.deploy.spreadOutDrivers", flag(x.spread_out_drivers)},
      {"spark.deploy.maxDrivers", count(x.max_drivers)},
      {"stoker.worker.backoff", duration(x.worker_backoff)},
      {"stoker.reservation.timeout", duration(x.reservation_timeout)},
      {"spark.deploy.defaultCores", count(x.default_cores)},
      {"spark.deploy.maxExecutorRetries", count(x.max_executor_retries)},
      {"spark.deploy.retainedApplications", count(x.retained_applications)},
      {"spark.deploy.retainedDrivers", count(x.retained_drivers)},
      {"spark.worker.ui.retainedExecutors", count(x.retained_executors)},
      {"stoker.deploy.retainedExecutors", count(x.retained_executors_of_ended)},
      {"spark.worker.timeout", duration(x.worker_timeout)},
      {"spark.dead.worker.persistence", count(x.dead_worker_persistence)},
      {"stoker.application.timeout", duration(x.application_timeout)},
      {"stoker.outage.timeout", duration(x.outage_timeout)},
      {"stoker.reconnect.timeout", duration(x.reconnect_timeout)},
      {"spark.deploy.recoveryTimeout", duration(x.recovery_timeout)},
      {"stoker.recovery.silence", duration(x.recovery_silence)},
  };
}

/// Spark's names of modes with a file are understood: what they are for is done
/// by ours. A mode that is not known is refused: to store nothing instead would
/// be found out when it is too late.
std::optional<RecoveryMode> parse_recovery_mode(const std::string& text) {
  if (text == "FILESYSTEM" || text == "ROCKSDB")
    return RecoveryMode::SQLITE;
  auto result = RecoveryMode::NONE;
  return boost::describe::enum_from_string(text.c_str(), result)
             ? std::optional{result}
             : std::nullopt;
}

Setters setters_of(MasterStorage& x) {
  return {
      {"spark.deploy.recoveryMode",
       setter(x.mode, parse_recovery_mode,
              "one of SQLITE, NONE, or FILESYSTEM and ROCKSDB, which are "
              "understood as SQLITE")},
      {"spark.deploy.recoveryDirectory", setter(
                                             x.directory,
                                             [](const std::string& y) {
                                               return y.empty()
                                                          ? std::nullopt
                                                          : std::optional{y};
                                             },
                                             "a directory")},
      {"stoker.leader.timeout", duration(x.leader_timeout)},
  };
}

Setters setters_of(WorkerConfig& x) {
  return {
      {"spark.worker.timeout",
       [&x](const std::string& value) -> std::optional<std::string> {
         auto timeout = parse_duration(value);
         if (!timeout || timeout->count() < 4)
           return "a duration like 60s";
         x.heartbeat_interval = *timeout / 4;
         return std::nullopt;
       }},
      {"spark.executor.decommission.forceKillTimeout",
       duration(x.decommission_timeout)},
      {"spark.executor.logs.rolling.maxSize",
       [&x](const std::string& value) -> std::optional<std::string> {
         auto size = parse_bytes(value);
         if (!size || *size < 1)
           return "a size like 64m";
         x.log_bytes_max = *size;
         return std::nullopt;
       }},
      {"spark.executor.logs.rolling.maxRetainedFiles", count(x.log_files)},
      {"stoker.orphan.grace", duration(x.orphan_grace)},
      {"stoker.kill.grace", duration(x.kill_grace)},
      {"stoker.worker.retainedDirectories", count(x.retained_directories)},
  };
}

Setters setters_of(ApplicationDescription& x) {
  return {
      {"spark.app.name", text(x.name)},
      {"spark.cores.max", count(x.max_cores)},
      {"spark.app.cores.max", count(x.max_cores)},
      {"spark.app.task.memory.mb", count(x.memory_per_task_mb)},
      {"stoker.app.priority", count(x.priority)},
      {"stoker.app.sql", flag(x.sql)},
      {"stoker.app.output.whenFull",
       [&x](const std::string& value) -> std::optional<std::string> {
         if (value != "wait" && value != "drop")
           return "'wait' or 'drop'";
         x.reads_output = value == "wait";
         return std::nullopt;
       }},
      {"stoker.app.timeLimit",
       [&x](const std::string& value) -> std::optional<std::string> {
         auto limit = parse_duration(value);
         if (!limit || limit->count() <= 0)
           return "a duration like 90s or 2h";
         x.time_limit_ms = limit->count();
         return std::nullopt;
       }},
      {"spark.executor.cores", count(x.cores_per_executor)},
      {"spark.executor.memory", memory(x.memory_per_executor_mb)},
  };
}

Setters setters_of(DriverDescription& x) {
  return {
      {"spark.app.name", text(x.name)},
      {"spark.driver.cores", count(x.cores)},
      {"spark.driver.memory", memory(x.memory_mb)},
      {"spark.driver.supervise", flag(x.supervise)},
  };
}

Setter fraction(double& target) {
  return setter(target, parse_fraction, "a number like 0.75");
}

/// FIFO or FAIR, in any case.
Setter mode(SchedulingMode& target) {
  auto parse = [](const std::string& text) -> std::optional<SchedulingMode> {
    std::string upper;
    for (auto c : text)
      upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (upper != "FIFO" && upper != "FAIR")
      return std::nullopt;
    return upper == "FAIR" ? SchedulingMode::FAIR : SchedulingMode::FIFO;
  };
  return setter(target, parse, "FIFO or FAIR");
}

Setters setters_of(ExclusionConfig& x) {
  return {
      {"spark.excludeOnFailure.enabled", flag(x.enabled)},
      {"spark.excludeOnFailure.timeout", duration(x.timeout)},
      {"spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor",
       count(x.task_attempts_per_executor_max)},
      {"spark.excludeOnFailure.task.maxTaskAttemptsPerNode",
       count(x.task_attempts_per_host_max)},
      {"spark.excludeOnFailure.stage.maxFailedTasksPerExecutor",
       count(x.stage_failures_per_executor_max)},
      {"spark.excludeOnFailure.stage.maxFailedExecutorsPerNode",
       count(x.stage_executors_per_host_max)},
      {"spark.excludeOnFailure.application.maxFailedTasksPerExecutor",
       count(x.application_failures_per_executor_max)},
      {"spark.excludeOnFailure.application.maxFailedExecutorsPerNode",
       count(x.application_executors_per_host_max)},
      {"spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout",
       duration(x.unschedulable_timeout)},
  };
}

Setters setters_of(LeavingConfig& x) {
  return {
      {"spark.decommission.enabled", flag(x.tasks_may_end)},
      {"spark.executor.decommission.forceKillTimeout",
       duration(x.force_kill_timeout)},
      {"spark.executor.decommission.killInterval",
       [&x](const std::string& value) -> std::optional<std::string> {
         x.kill_interval = parse_duration(value);
         return x.kill_interval
                    ? std::nullopt
                    : std::optional<std::string>{"a duration like 2min"};
       }},
  };
}

Setters setters_of(JobSettings& x) {
  auto& jobs = x.jobs;
  auto result = setters_of(jobs.exclusion);
  result.merge(setters_of(jobs.leaving));
  auto& speculation = jobs.speculation;
  result.merge(Setters{
      {"spark.driver.host", text(x.driver_host)},
      {"spark.driver.port", count(x.driver_port)},
      {"spark.scheduler.mode", mode(jobs.mode)},
      {"spark.scheduler.pool", text(x.pool)},
      {"spark.task.cpus", count(x.task_cores)},
      {"spark.task.maxFailures", count(x.task_failures_max)},
      {"spark.locality.wait",
       [&jobs](const std::string& value) -> std::optional<std::string> {
         auto wait = parse_duration(value);
         if (!wait)
           return "a duration like 3s";
         jobs.wait_for_process = jobs.wait_for_host = *wait;
         return std::nullopt;
       }},
      {"spark.locality.wait.process", duration(jobs.wait_for_process)},
      {"spark.locality.wait.node", duration(jobs.wait_for_host)},
      {"spark.speculation", flag(speculation.enabled)},
      {"spark.speculation.interval", duration(speculation.interval)},
      {"spark.speculation.quantile", fraction(speculation.quantile)},
      {"spark.speculation.multiplier", fraction(speculation.multiplier)},
      {"spark.speculation.minTaskRuntime", duration(speculation.min_run_time)},
  });
  return result;
}

/// `spark.executor.resource.NAME.amount` and the like.
ResourceSetters amounts(const std::string& prefix, ResourceAmounts& target) {
  auto amount = [&target](const std::string& name) {
    return setter(target[name], parse_count, "a whole number");
  };
  return {prefix, {{"amount", amount}}};
}

ResourceSetters discovery(ResourceDiscovery& target) {
  auto amount = [&target](const std::string& name) {
    return count(target.kinds[name].amount);
  };
  auto script = [&target](const std::string& name) {
    return text(target.kinds[name].script);
  };
  return {"spark.worker.resource.",
          {{"amount", amount}, {"discoveryScript", script}}};
}

Part part_of(WorkerConfig& config, ResourceDiscovery& resources) {
  auto exact = setters_of(config);
  exact.emplace("spark.worker.resourcesFile", text(resources.file));
  return {std::move(exact), discovery(resources)};
}

std::vector<Part> parts_of(ClusterConfig& config, MasterStorage& storage) {
  return {{setters_of(config), {}}, {setters_of(storage), {}}};
}

Part part_of(ApplicationDescription& x) {
  return {setters_of(x),
          amounts("spark.executor.resource.", x.resources_per_executor)};
}

Setters setters_of(AllocationSettings& x) {
  Setters result;
  for (const auto& name : allocation_setting_names())
    result.emplace(name, [&x, name](const std::string& value) {
      return set_allocation(x, name, value);
    });
  return result;
}

std::vector<Part> parts_of(JobSettings& x) {
  return {part_of(x.application),
          {setters_of(x), {}},
          {setters_of(x.allocation), {}}};
}

/// With how many executors an application begins.
Status begin_allocation(JobSettings& x) {
  auto& application = x.application;
  if (!x.allocation.enabled) {
    if (x.allocation.executor_instances)
      application.initial_executor_limit = x.allocation.executor_instances;
    return {};
  }
  if (auto valid = validate(x.allocation); !valid)
    return valid;
  // How many there should be depends on how many tasks one of them can run.
  application.cores_per_executor = x.allocation.executor_cores;
  application.initial_executor_limit = initial_target(x.allocation);
  return {};
}

Part part_of(DriverDescription& x) {
  return {setters_of(x), amounts("spark.driver.resource.", x.resources)};
}

std::vector<std::string> names_in(const std::vector<Part>& parts) {
  std::vector<std::string> result;
  for (const auto& part : parts) {
    for (const auto& [name, set] : part.exact)
      result.push_back(name);
    if (part.resources)
      for (const auto& [what, set] : part.resources->of)
        result.push_back(part.resources->prefix + "NAME." + what);
  }
  std::sort(result.begin(), result.end());
  // Some are of several parts.
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Status apply_settings(const std::vector<Setting>& settings,
                      const std::vector<Part>& parts) {
  for (const auto& x : settings) {
    auto known = false;
    for (const auto& part : parts) {
      auto set = part.find(x.name);
      if (!set)
        continue;
      known = true;
      if (auto expected = set(x.value))
        return invalid(x.origin + ": " + x.name + " is '" + x.value
                       + "', which is not " + *expected);
    }
    if (!known)
      return invalid(x.origin + ": " + x.name
                     + " is not a setting of this command");
  }
  return {};
}

} // namespace

std::optional<Setting> parse_setting(const std::string& text,
                                     const std::string& origin) {
  auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    return std::nullopt;
  return Setting{text.substr(0, equals), text.substr(equals + 1), origin};
}

Status apply_settings(const std::vector<Setting>& settings,
                      ClusterConfig& config, MasterStorage& storage) {
  return apply_settings(settings, parts_of(config, storage));
}

Status apply_settings(const std::vector<Setting>& settings,
                      WorkerConfig& config, ResourceDiscovery& resources) {
  return apply_settings(settings,
                        std::vector<Part>{part_of(config, resources)});
}

Status apply_settings(const std::vector<Setting>& settings,
                      LocalClusterConfig& config,
                      ResourceDiscovery& resources) {
  auto parts = parts_of(config.cluster, config.storage);
  parts.push_back(part_of(config.worker, resources));
  return apply_settings(settings, parts);
}

Status apply_settings(const std::vector<Setting>& settings,
                      ApplicationDescription& description) {
  return apply_settings(settings, std::vector<Part>{part_of(description)});
}

Status apply_settings(const std::vector<Setting>& settings,
                      DriverDescription& description) {
  return apply_settings(settings, std::vector<Part>{part_of(description)});
}

Status apply_settings(const std::vector<Setting>& settings,
                      JobSettings& target) {
  if (auto applied = apply_settings(settings, parts_of(target)); !applied)
    return applied;
  if (target.driver_port < 0 || target.driver_port > 65'535)
    return invalid("spark.driver.port is not a port");
  if (target.task_cores < 1)
    return invalid("spark.task.cpus is below 1");
  if (target.task_failures_max < 1)
    return invalid("spark.task.maxFailures is below 1");
  if (target.task_failures_max > max_failures_max)
    return invalid("spark.task.maxFailures is above "
                   + std::to_string(max_failures_max));
  if (auto begun = begin_allocation(target); !begun)
    return begun;
  return validate(target.jobs);
}

std::vector<std::string> job_setting_names() {
  JobSettings settings;
  return names_in(parts_of(settings));
}

std::vector<std::string> master_setting_names() {
  ClusterConfig config;
  MasterStorage storage;
  return names_in(parts_of(config, storage));
}

std::vector<std::string> worker_setting_names() {
  WorkerConfig config;
  ResourceDiscovery resources;
  return names_in({part_of(config, resources)});
}

std::vector<std::string> application_setting_names() {
  ApplicationDescription description;
  return names_in({part_of(description)});
}

std::vector<std::string> driver_setting_names() {
  DriverDescription description;
  return names_in({part_of(description)});
}

} // namespace stoker
