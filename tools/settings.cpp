#include "tools/settings.hpp"

#include <functional>
#include <map>

#include "tools/units.hpp"

namespace stoker {

namespace {

/// Takes a value; returns what was expected instead, if it is wrong.
using Setter = std::function<std::optional<std::string>(const std::string&)>;
using Setters = std::map<std::string, Setter>;

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

Setter text(std::string& target) {
  return setter(
      target, [](const std::string& x) { return std::optional{x}; }, "a text");
}

Setters setters_of(ClusterConfig& x) {
  return {
      {"spark.deploy.spreadOut", flag(x.spread_out)},
      {"spark.deploy.spreadOutApps", flag(x.spread_out)},
      {"spark.deploy.defaultCores", count(x.default_cores)},
      {"spark.deploy.maxExecutorRetries", count(x.max_executor_retries)},
      {"spark.deploy.retainedApplications", count(x.retained_applications)},
      {"spark.deploy.retainedDrivers", count(x.retained_drivers)},
      {"spark.worker.ui.retainedExecutors", count(x.retained_executors)},
      {"spark.worker.timeout", duration(x.worker_timeout)},
      {"spark.dead.worker.persistence", count(x.dead_worker_persistence)},
      {"stoker.reconnect.timeout", duration(x.reconnect_timeout)},
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
      {"stoker.orphan.grace", duration(x.orphan_grace)},
      {"stoker.kill.grace", duration(x.kill_grace)},
      {"stoker.worker.retainedDirectories", count(x.retained_directories)},
  };
}

Setters setters_of(ApplicationDescription& x) {
  return {
      {"spark.app.name", text(x.name)},
      {"spark.cores.max", count(x.max_cores)},
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

std::optional<std::string> apply_settings(const std::vector<Setting>& settings,
                                          const std::vector<Setters>& parts) {
  for (const auto& x : settings) {
    auto known = false;
    for (const auto& setters : parts) {
      auto i = setters.find(x.name);
      if (i == setters.end())
        continue;
      known = true;
      if (auto expected = i->second(x.value))
        return x.origin + ": " + x.name + " is '" + x.value + "', which is not "
               + *expected;
    }
    if (!known)
      return x.origin + ": " + x.name + " is not a setting of this command";
  }
  return std::nullopt;
}

} // namespace

std::optional<Setting> parse_setting(const std::string& text,
                                     const std::string& origin) {
  auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    return std::nullopt;
  return Setting{text.substr(0, equals), text.substr(equals + 1), origin};
}

std::optional<std::string> apply_settings(const std::vector<Setting>& settings,
                                          ClusterConfig& config) {
  return apply_settings(settings, {setters_of(config)});
}

std::optional<std::string> apply_settings(const std::vector<Setting>& settings,
                                          WorkerConfig& config) {
  return apply_settings(settings, {setters_of(config)});
}

std::optional<std::string> apply_settings(const std::vector<Setting>& settings,
                                          LocalClusterConfig& config) {
  return apply_settings(
      settings, {setters_of(config.cluster), setters_of(config.worker)});
}

std::optional<std::string> apply_settings(const std::vector<Setting>& settings,
                                          ApplicationDescription& description) {
  return apply_settings(settings, {setters_of(description)});
}

std::optional<std::string> apply_settings(const std::vector<Setting>& settings,
                                          DriverDescription& description) {
  return apply_settings(settings, {setters_of(description)});
}

} // namespace stoker
