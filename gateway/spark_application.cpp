#include "gateway/spark_application.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "spark/message_writer.hpp"

namespace stoker {

namespace {

constexpr int default_profile = 0;

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T result{};
  auto [end, error]
      = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return result;
}

/// What is no named resource of a worker's, although Spark lists it as one.
bool is_memory_or_cores(const std::string& resource) {
  return resource == "memory" || resource == "cores" || resource == "offHeap"
         || resource == "memoryOverhead" || resource == "pyspark.memory";
}

/// A setting that stands among the options of a JVM.
struct JvmSetting {
  std::string_view name;
  std::string_view value;
};

/// The last one counts, as it does in a JVM.
/// @param name without what it begins with: "spark.", or "stoker." where Spark would refuse
/// that
std::optional<JvmSetting> setting(const std::vector<std::string>& options,
                                  std::string_view name) {
  std::optional<JvmSetting> result;
  for (std::string_view x : options)
    for (std::string_view begin : {"-Dspark.", "-Dstoker."}) {
      auto end = begin.size() + name.size();
      if (x.starts_with(begin) && x.substr(begin.size()).starts_with(name)
          && x.substr(end).starts_with('='))
        result = {x.substr(2, end - 2), x.substr(end + 1)};
    }
  return result;
}

template <class T>
Result<std::optional<T>> read_setting(const std::vector<std::string>& options,
                                      std::string_view name) {
  auto found = setting(options, name);
  if (!found)
    return std::optional<T>{};
  auto number = parse_number<T>(found->value);
  if (!number || *number <= 0)
    return invalid(std::string{found->name} + " is '"
                   + std::string{found->value}
                   + "', and must be a whole number above 0");
  return std::optional<T>{*number};
}

Result<int> narrowed(const std::string& what, std::int64_t x) {
  if (x < 0 || x > std::numeric_limits<int>::max())
    return invalid("the executors' " + what + " cannot be "
                   + std::to_string(x));
  return static_cast<int>(x);
}

Status use_profile(ApplicationDescription& out,
                   const spark::ResourceProfile& profile) {
  for (const auto& [name, amount] : profile.executor_resources) {
    if (name == "memory") {
      out.memory_per_executor_mb = amount;
      continue;
    }
    if (is_memory_or_cores(name) && name != "cores")
      continue;
    auto count = narrowed(name, amount);
    if (!count)
      return std::move(count).error();
    if (name == "cores")
      out.cores_per_executor = *count;
    else if (*count > 0)
      out.resources_per_executor[name] = *count;
  }
  return {};
}

} // namespace

Result<ApplicationDescription>
to_description(const spark::RegisterApplication& x,
               const std::string& version) {
  const auto& app = x.app;
  const auto& options = app.command.java_opts;
  ApplicationDescription result;
  result.name = app.name;
  result.user = app.user;
  result.command.arguments = app.command.arguments;
  result.command.environment = app.command.environment;
  // Executors do not need it.
  if (auto driver = result.command.environment.extract(driver_id_variable))
    result.driver_id = DriverId{driver.mapped()};
  result.command.spark = SparkProgram{
      version, app.command.main_class, app.command.class_path_entries,
      app.command.library_path_entries, options};
  result.max_cores = app.max_cores;
  result.initial_executor_limit = app.initial_executor_limit;
  result.spark_driver = SparkDriver{
      x.driver.address.host, x.driver.address.port, version, app.app_ui_url};
  if (auto used = use_profile(result, app.default_profile); !used)
    return std::move(used).error();
  auto task_memory = read_setting<std::int64_t>(options, "app.task.memory.mb");
  if (!task_memory)
    return std::move(task_memory).error();
  result.memory_per_task_mb = *task_memory;
  auto cores = read_setting<int>(options, "app.cores.max");
  if (!cores)
    return std::move(cores).error();
  if (*cores)
    result.max_cores = std::min(result.max_cores.value_or(**cores), **cores);
  return result;
}

std::vector<std::string> users_of(const spark::RegisterApplication& x) {
  std::vector<std::string> result;
  const auto& environment = x.app.command.environment;
  if (auto found = environment.find(spark_user_variable);
      found != environment.end() && !found->second.empty())
    result.push_back(found->second);
  result.push_back(x.app.user);
  return result;
}

namespace {

/// "resource profile 1 (cores 2, memory 2048)"
std::string shown(const spark::ResourceProfile& x) {
  std::string resources;
  for (const auto& [name, amount] : x.executor_resources)
    resources += (resources.empty() ? "" : ", ") + name + ' '
                 + std::to_string(amount);
  return "resource profile " + std::to_string(x.id)
         + (resources.empty() ? "" : " (" + resources + ')');
}

} // namespace

Result<int> wanted_executors(const spark::RequestExecutors& x) {
  int result = 0;
  for (const auto& [profile, total] : x.totals)
    if (profile.id == default_profile)
      result = std::max(0, total);
    else if (total > 0)
      return Error{
          Errc::invalid_request,
          "executors of " + shown(profile)
              + " are not supported: all executors of an application are "
                "alike; set their size for the application "
                "(spark.executor.cores, spark.executor.memory), without "
                "withResources()"};
  return result;
}

std::vector<int> executor_ids(const std::vector<std::string>& x) {
  std::vector<int> result;
  for (const auto& id : x)
    if (auto number = parse_number<int>(id))
      result.push_back(*number);
  return result;
}

// -- to drivers ---------------------------------------------------------------

namespace {

/// As Spark's workers write it: tools look for these words, also for ends by a signal.
std::optional<std::string> as_spark_says(const ExecutorUpdated& x) {
  if (!x.message || !x.exit_status)
    return x.message;
  constexpr std::string_view by_code{"command exited with code "};
  constexpr std::string_view by_signal{"command was ended by signal "};
  std::string_view rest{*x.message};
  for (auto ours : {by_code, by_signal})
    if (rest.starts_with(ours)) {
      rest.remove_prefix(std::min(rest.size(), ours.size()));
      rest.remove_prefix(
          std::min(rest.size(), rest.find_first_not_of("0123456789")));
      return "Command exited with code " + std::to_string(*x.exit_status)
             + std::string{rest};
    }
  return x.message;
}

std::int32_t clamped(std::int64_t x) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(x, 0, std::numeric_limits<std::int32_t>::max()));
}

class ContentWriter {
public:
  using Content = std::optional<std::string>;

  ContentWriter(const spark::VersionTable& table,
                const spark::RpcAddress& master)
      : table_(table), master_(master) {
  }

  Content operator()(const ApplicationConnected& x) const {
    return write(table_, spark::RegisteredApplication{x.id.value, master_});
  }
  Content operator()(const ApplicationDead& x) const {
    return write(table_, spark::ApplicationRemoved{x.message});
  }
  Content operator()(const ExecutorAdded& x) const {
    return write(table_,
                 spark::ExecutorAdded{x.id, x.worker_id.value, x.host_port,
                                      x.cores, clamped(x.memory_mb)});
  }
  Content operator()(const ExecutorUpdated& x) const {
    // A driver takes the outputs of all executors of this host for lost. The outputs of a
    // decommissioned worker can be fetched until it has left, as WorkerRemoved says then.
    auto lost_host = x.state == ExecutorState::DECOMMISSIONED ? std::nullopt
                                                              : x.worker_host;
    return write(table_, spark::ExecutorUpdated{
                             x.id, static_cast<spark::ExecutorState>(x.state),
                             as_spark_says(x), x.exit_status, lost_host});
  }
  Content operator()(const WorkerRemoved& x) const {
    return write(table_, spark::WorkerRemoved{x.id.value, x.host, x.message});
  }

  // These are about the connection between its proxy and the master.
  Content operator()(const ApplicationLeaderChanged&) const {
    return {};
  }
  Content operator()(const ApplicationDisconnected&) const {
    return {};
  }
  Content operator()(const ApplicationSearches&) const {
    return {};
  }

private:
  const spark::VersionTable& table_;
  const spark::RpcAddress& master_;
};

} // namespace

std::optional<std::string> to_content(const spark::VersionTable& table,
                                      const ApplicationNews& news,
                                      const spark::RpcAddress& master) {
  return std::visit(ContentWriter{table, master}, news);
}

} // namespace stoker
