#include "embedding/settings.hpp"

#include <algorithm>
#include <cctype>

#include <boost/describe/enum_from_string.hpp>

#include "embedding/setting_parts.hpp"

namespace stoker {

namespace {

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
  return setters::setter(
      target, parse,
      "one of CORES_FREE_DESC, CORES_FREE_ASC, MEMORY_FREE_DESC, "
      "MEMORY_FREE_ASC, WORKER_ID");
}

Setters setters_of(ClusterConfig& x) {
  return {
      {"spark.deploy.spreadOut", setters::flag(x.spread_out)},
      {"spark.deploy.spreadOutApps", setters::flag(x.spread_out)},
      {"spark.deploy.workerSelectionPolicy", policy(x.worker_selection)},
      {"spark.deploy.spreadOutDrivers", setters::flag(x.spread_out_drivers)},
      {"spark.deploy.maxDrivers", setters::count(x.max_drivers)},
      {"stoker.worker.backoff", setters::duration(x.worker_backoff)},
      {"stoker.reservation.timeout", setters::duration(x.reservation_timeout)},
      {"stoker.gang.reserve.after", setters::duration(x.gang_reserve_after)},
      {"spark.deploy.defaultCores", setters::count(x.default_cores)},
      {"spark.deploy.maxExecutorRetries",
       setters::count(x.max_executor_retries)},
      {"spark.deploy.retainedApplications",
       setters::count(x.retained_applications)},
      {"spark.deploy.retainedDrivers", setters::count(x.retained_drivers)},
      {"stoker.deploy.submissionRetention",
       setters::duration(x.submission_retention)},
      {"spark.worker.ui.retainedExecutors",
       setters::count(x.retained_executors)},
      {"stoker.deploy.retainedExecutors",
       setters::count(x.retained_executors_of_ended)},
      {"spark.worker.timeout", setters::duration(x.worker_timeout)},
      {"spark.dead.worker.persistence",
       setters::count(x.dead_worker_persistence)},
      {"stoker.application.timeout", setters::duration(x.application_timeout)},
      {"stoker.outage.timeout", setters::duration(x.outage_timeout)},
      {"stoker.reconnect.timeout", setters::duration(x.reconnect_timeout)},
      {"spark.deploy.recoveryTimeout", setters::duration(x.recovery_timeout)},
      {"stoker.recovery.silence", setters::duration(x.recovery_silence)},
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

/// A size of files in bytes.
Setter size_of_files(std::int64_t& target) {
  return setters::setter(
      target,
      [](const std::string& text) {
        auto bytes = parse_bytes(text);
        return bytes && *bytes >= 1 ? bytes : std::nullopt;
      },
      "a size like 500m or 10g");
}

std::optional<std::int64_t> parse_history_size(const std::string& text) {
  auto bytes = parse_bytes(text);
  return bytes && *bytes >= 1024 * 1024 ? bytes : std::nullopt;
}

Setters setters_of(MasterStorage& x) {
  return {
      {"spark.deploy.recoveryMode",
       setters::setter(
           x.mode, parse_recovery_mode,
           "one of SQLITE, NONE, or FILESYSTEM and ROCKSDB, which are "
           "understood as SQLITE")},
      {"spark.deploy.recoveryDirectory", setters::setter(
                                             x.directory,
                                             [](const std::string& y) {
                                               return y.empty()
                                                          ? std::nullopt
                                                          : std::optional{y};
                                             },
                                             "a directory")},
      {"stoker.leader.timeout", setters::duration(x.leader_timeout)},
      {"stoker.history.enabled", setters::flag(x.keeps_history)},
      {"stoker.history.maxAge", setters::duration(x.history.age)},
      {"stoker.history.maxSize",
       setters::setter(x.history.bytes, parse_history_size,
                       "a size from 1m on, like 500m")},
      {"stoker.files.maxFileSize", size_of_files(x.files.file)},
      {"stoker.files.maxTotalSize", size_of_files(x.files.all)},
  };
}

/// Returns the address of a proxy without a slash at its end, or std::nullopt.
std::optional<std::string> parse_proxy_url(const std::string& text) {
  auto rest = text.starts_with("https://")  ? text.substr(8)
              : text.starts_with("http://") ? text.substr(7)
                                            : std::string{};
  auto is_plain = [](unsigned char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '?' && c != '#';
  };
  if (rest.empty() || rest.front() == '/'
      || !std::all_of(rest.begin(), rest.end(), is_plain))
    return std::nullopt;
  auto result = text;
  while (result.ends_with('/'))
    result.pop_back();
  return result;
}

Setters setters_of(PageSettings& x) {
  return {
      {"spark.ui.reverseProxy", setters::flag(x.is_reverse_proxy)},
      {"spark.ui.reverseProxyUrl",
       setters::setter(x.reverse_proxy_url, parse_proxy_url,
                       "an address like https://node1/stoker")},
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
       setters::duration(x.decommission_timeout)},
      {"spark.executor.logs.rolling.maxSize",
       [&x](const std::string& value) -> std::optional<std::string> {
         auto size = parse_bytes(value);
         if (!size || *size < 1)
           return "a size like 64m";
         x.log_bytes_max = *size;
         return std::nullopt;
       }},
      {"spark.executor.logs.rolling.maxRetainedFiles",
       setters::count(x.log_files)},
      {"stoker.orphan.grace", setters::duration(x.orphan_grace)},
      {"stoker.kill.grace", setters::duration(x.kill_grace)},
      {"stoker.worker.files.maxTotalSize", size_of_files(x.file_bytes_max)},
      {"stoker.worker.retainedDirectories",
       setters::count(x.retained_directories)},
  };
}

Setters setters_of(ApplicationDescription& x) {
  return {
      {"spark.app.name", setters::text(x.name)},
      {"spark.cores.max", setters::count(x.max_cores)},
      {"spark.app.cores.max", setters::count(x.max_cores)},
      {"spark.app.task.memory.mb", setters::count(x.memory_per_task_mb)},
      {"stoker.app.priority", setters::count(x.priority)},
      {"stoker.app.sql", setters::flag(x.sql)},
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
         if (!limit || *limit < Duration{})
           return "a duration like 90s or 2h";
         x.time_limit_ms = *limit > Duration{} ? std::optional{limit->count()}
                                               : std::nullopt;
         return std::nullopt;
       }},
      {"spark.executor.cores", setters::count(x.cores_per_executor)},
      {"spark.executor.memory", setters::memory(x.memory_per_executor_mb)},
      {"stoker.executor.gang", setters::count(x.gang)},
  };
}

Setters setters_of(DriverDescription& x) {
  return {
      {"spark.app.name", setters::text(x.name)},
      {"spark.driver.cores", setters::count(x.cores)},
      {"spark.driver.memory", setters::memory(x.memory_mb)},
      {"spark.driver.supervise", setters::flag(x.supervise)},
  };
}

/// `spark.executor.resource.NAME.amount` and the like.
ResourceSetters amounts(const std::string& prefix, ResourceAmounts& target) {
  auto amount = [&target](const std::string& name) {
    return setters::setter(target[name], parse_count, "a whole number");
  };
  return {prefix, {{"amount", amount}}};
}

ResourceSetters discovery(ResourceDiscovery& target) {
  auto amount = [&target](const std::string& name) {
    return setters::count(target.kinds[name].amount);
  };
  auto script = [&target](const std::string& name) {
    return setters::text(target.kinds[name].script);
  };
  return {"spark.worker.resource.",
          {{"amount", amount}, {"discoveryScript", script}}};
}

SettingPart part_of(WorkerConfig& config, ResourceDiscovery& resources) {
  auto exact = setters_of(config);
  exact.emplace("spark.worker.resourcesFile", setters::text(resources.file));
  return {std::move(exact), discovery(resources)};
}

std::vector<SettingPart> parts_of(ClusterConfig& config, MasterStorage& storage,
                                  PageSettings& pages) {
  return {{setters_of(config), {}},
          {setters_of(storage), {}},
          {setters_of(pages), {}}};
}

SettingPart part_of(DriverDescription& x) {
  return {setters_of(x), amounts("spark.driver.resource.", x.resources)};
}

} // namespace

SettingPart application_part(ApplicationDescription& x) {
  return {setters_of(x),
          amounts("spark.executor.resource.", x.resources_per_executor)};
}

std::optional<Setting> parse_setting(const std::string& text,
                                     const std::string& origin) {
  auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    return std::nullopt;
  return Setting{text.substr(0, equals), text.substr(equals + 1), origin};
}

Status apply_settings(const std::vector<Setting>& settings,
                      ClusterConfig& config, MasterStorage& storage,
                      PageSettings& pages) {
  return apply_settings(settings, parts_of(config, storage, pages));
}

Status apply_settings(const std::vector<Setting>& settings,
                      WorkerConfig& config, ResourceDiscovery& resources) {
  return apply_settings(settings,
                        std::vector<SettingPart>{part_of(config, resources)});
}

Status apply_settings(const std::vector<Setting>& settings,
                      LocalClusterConfig& config,
                      ResourceDiscovery& resources) {
  auto parts = parts_of(config.cluster, config.storage, config.pages);
  parts.push_back(part_of(config.worker, resources));
  return apply_settings(settings, parts);
}

Status apply_settings(const std::vector<Setting>& settings,
                      ApplicationDescription& description) {
  return apply_settings(
      settings, std::vector<SettingPart>{application_part(description)});
}

Status apply_settings(const std::vector<Setting>& settings,
                      DriverDescription& description) {
  return apply_settings(settings,
                        std::vector<SettingPart>{part_of(description)});
}

std::vector<std::string> master_setting_names() {
  ClusterConfig config;
  MasterStorage storage;
  PageSettings pages;
  return names_in(parts_of(config, storage, pages));
}

std::vector<std::string> worker_setting_names() {
  WorkerConfig config;
  ResourceDiscovery resources;
  return names_in({part_of(config, resources)});
}

std::vector<std::string> application_setting_names() {
  ApplicationDescription description;
  return names_in({application_part(description)});
}

std::vector<std::string> driver_setting_names() {
  DriverDescription description;
  return names_in({part_of(description)});
}

} // namespace stoker
