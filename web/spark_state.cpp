#include "web/spark_state.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>

#include "messages/printable.hpp"
#include "web/cluster_view.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

/// Workers have no pages.
constexpr const char* no_page = "";

/// The argument of a driver's wrapper that is the user's class, after the worker's address
/// and the jar.
constexpr std::size_t main_class_argument = 2;

json::array texts(const std::vector<std::string>& x) {
  json::array result;
  for (const auto& text : x)
    result.emplace_back(as_utf8(text));
  return result;
}

json::object addresses_json(const ResourceAddresses& x) {
  json::object result;
  for (const auto& [name, addresses] : x)
    result[as_utf8(name)] = json::object{{"name", as_utf8(name)},
                                         {"addresses", texts(addresses)}};
  return result;
}

json::array amounts_json(const ResourceAmounts& x) {
  json::array result;
  for (const auto& [name, amount] : x)
    result.push_back(json::object{{"name", as_utf8(name)}, {"amount", amount}});
  return result;
}

/// Those of `all` that are not in `used`.
ResourceAddresses free_of(const ResourceAddresses& all,
                          const ResourceAddresses& used) {
  auto result = all;
  for (auto& [name, addresses] : result)
    if (auto found = used.find(name); found != used.end())
      std::erase_if(addresses, [&](const std::string& x) {
        return std::ranges::find(found->second, x) != found->second.end();
      });
  return result;
}

/// Each resource that there is, even if none of it is used.
ResourceAddresses used_of(const ResourceAddresses& all,
                          const ResourceAddresses& used) {
  ResourceAddresses result;
  for (const auto& [name, addresses] : all)
    if (auto found = used.find(name); found != used.end())
      result.emplace(name, found->second);
    else
      result.emplace(name, std::vector<std::string>{});
  return result;
}

json::object worker_json(const WorkerInfo& x) {
  return {
      {"id", x.id.value},
      {"host", as_utf8(x.host)},
      {"port", x.port},
      {"webuiaddress", no_page},
      {"cores", x.cores},
      {"coresused", x.cores_used},
      {"coresfree", std::max(0, x.cores - x.cores_used)},
      {"memory", x.memory_mb},
      {"memoryused", x.memory_used_mb},
      {"memoryfree", std::max(std::int64_t{0}, x.memory_mb - x.memory_used_mb)},
      {"resources", addresses_json(x.resources)},
      {"resourcesused", addresses_json(used_of(x.resources, x.resources_used))},
      {"resourcesfree", addresses_json(free_of(x.resources, x.resources_used))},
      {"state", to_string(x.state)},
      {"lastheartbeat", x.last_heartbeat_ms}};
}

json::object application_json(const StoredApplication& x, int cores,
                              Instant now) {
  auto resources = amounts_json(x.description.resources_per_executor);
  auto duration = x.ended.value_or(now) - x.submitted;
  return {{"id", as_utf8(x.id.value)},
          {"starttime", to_ms(x.submitted)},
          {"name", as_utf8(x.description.name)},
          {"cores", cores},
          {"user", as_utf8(x.description.user)},
          {"memoryperexecutor", x.memory_per_executor_mb},
          {"memoryperslave", x.memory_per_executor_mb},
          {"resourcesperexecutor", resources},
          {"resourcesperslave", resources},
          {"submitdate", java_date(x.submitted)},
          {"state", to_string(x.state)},
          {"duration", std::max(std::int64_t{0}, duration.count())}};
}

std::string main_class_of(const Command& x) {
  if (!x.spark)
    return x.arguments.empty() ? std::string{} : x.arguments.front();
  return x.arguments.size() > main_class_argument
             ? x.arguments[main_class_argument]
             : x.spark->main_class;
}

json::object driver_json(const StoredDriver& x) {
  return {{"id", as_utf8(x.id.value)},
          {"starttime", std::to_string(to_ms(x.submitted))},
          {"state", to_string(x.state)},
          {"cores", x.description.cores},
          {"memory", x.description.memory_mb},
          {"resources", addresses_json(x.resources)},
          {"submitdate", java_date(x.submitted)},
          {"worker", x.worker_id ? as_utf8(x.worker_id->value) : "None"},
          {"mainclass", as_utf8(main_class_of(x.description.command))}};
}

void add_workers(json::object& to, const std::vector<WorkerInfo>& workers) {
  json::array all;
  json::array resources;
  json::array resources_used;
  int alive = 0;
  std::int64_t cores = 0;
  std::int64_t cores_used = 0;
  std::int64_t memory = 0;
  std::int64_t memory_used = 0;
  for (const auto& x : workers) {
    auto& written = all.emplace_back(worker_json(x)).as_object();
    if (x.state != WorkerState::ALIVE)
      continue;
    ++alive;
    cores += x.cores;
    cores_used += x.cores_used;
    memory += x.memory_mb;
    memory_used += x.memory_used_mb;
    resources.push_back(written["resources"]);
    resources_used.push_back(written["resourcesused"]);
  }
  to["workers"] = std::move(all);
  to["aliveworkers"] = alive;
  to["cores"] = cores;
  to["coresused"] = cores_used;
  to["memory"] = memory;
  to["memoryused"] = memory_used;
  to["resources"] = std::move(resources);
  to["resourcesused"] = std::move(resources_used);
}

/// Those with these numbers, in their order.
template <class Ids, class Make>
json::array list_of(const Ids& ids, Make make) {
  json::array result;
  for (const auto& [number, id] : ids)
    result.push_back(make(id));
  return result;
}

void add_applications(json::object& to, const ClusterCopy& cluster,
                      Instant now) {
  const auto& index = cluster.index();
  auto make = [&](const AppId& id) {
    return application_json(cluster.tables().applications().at(id),
                            index.cores_of(id), now);
  };
  to["activeapps"] = list_of(index.active_applications(), make);
  to["completedapps"] = list_of(index.ended_applications(), make);
}

void add_drivers(json::object& to, const ClusterCopy& cluster) {
  const auto& index = cluster.index();
  auto make = [&](const DriverId& id) {
    return driver_json(cluster.tables().drivers().at(id));
  };
  to["activedrivers"] = list_of(index.active_drivers(), make);
  to["completeddrivers"] = list_of(index.ended_drivers(), make);
}

std::int64_t percent(const json::value& part, const json::value& whole) {
  auto all = whole.to_number<std::int64_t>();
  return all == 0 ? 100 : part.to_number<std::int64_t>() * 100 / all;
}

json::object utilization(const json::object& state) {
  const auto& drivers = state.at("activedrivers").as_array();
  auto waiting = std::ranges::count_if(drivers, [](const json::value& x) {
    return x.at("state") == "SUBMITTED";
  });
  const auto& cores = state.at("cores");
  const auto& cores_used = state.at("coresused");
  const auto& memory = state.at("memory");
  const auto& memory_used = state.at("memoryused");
  return {{"waitingDrivers", waiting},
          {"cores", cores},
          {"coresused", cores_used},
          {"coresutilization", percent(cores_used, cores)},
          {"memory", memory},
          {"memoryused", memory_used},
          {"memoryutilization", percent(memory_used, memory)}};
}

} // namespace

std::string java_date(Instant x) {
  auto seconds = std::chrono::system_clock::to_time_t(
      std::chrono::floor<std::chrono::seconds>(x));
  std::tm date{};
  if (::gmtime_r(&seconds, &date) == nullptr)
    return {};
  std::array<char, 64> text{};
  auto n = std::strftime(text.data(), text.size(), "%a %b %d %H:%M:%S UTC %Y",
                         &date);
  return {text.data(), n};
}

json::object spark_state(const ClusterCopy& cluster, const std::string& url,
                         Instant now) {
  const auto& observation = cluster.observation();
  auto status = observation ? observation->status : RecoveryState::STANDBY;
  json::object result{{"url", url}};
  static const ClusterCopy nothing;
  auto leads = status != RecoveryState::STANDBY;
  const auto& shown = leads ? cluster : nothing;
  add_workers(result, leads ? workers_of(cluster) : std::vector<WorkerInfo>{});
  add_applications(result, shown, now);
  add_drivers(result, shown);
  result["status"] = to_string(status);
  return result;
}

bool is_spark_state_part(std::string_view field) {
  static constexpr std::array fields{"",
                                     "url",
                                     "workers",
                                     "aliveworkers",
                                     "cores",
                                     "coresused",
                                     "memory",
                                     "memoryused",
                                     "resources",
                                     "resourcesused",
                                     "activeapps",
                                     "completedapps",
                                     "activedrivers",
                                     "completeddrivers",
                                     "status",
                                     "clusterutilization"};
  return std::ranges::find(fields, field) != fields.end();
}

json::object spark_state_part(json::object state, std::string_view field) {
  if (field == "clusterutilization")
    return utilization(state);
  auto found = state.find(field);
  if (found == state.end())
    return state;
  return {{found->key(), std::move(found->value())}};
}

} // namespace stoker
