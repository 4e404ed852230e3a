#include "pages/workers.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pages/links.hpp"

namespace stoker::pages {

namespace {

/// Those addresses of a resource that are in use.
std::vector<std::string> used_of(const WorkerInfo& x, const std::string& name) {
  auto found = x.resources_used.find(name);
  return found == x.resources_used.end() ? std::vector<std::string>{}
                                         : found->second;
}

std::string list_text(const std::vector<std::string>& addresses) {
  std::string result;
  for (const auto& x : addresses)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

/// "1 of 4 gpu", for each name.
std::string resources_text(const WorkerInfo& x) {
  std::string result;
  for (const auto& [name, addresses] : x.resources)
    result += (result.empty() ? "" : ", ")
              + std::to_string(used_of(x, name).size()) + " of "
              + std::to_string(addresses.size()) + ' ' + name;
  return result;
}

std::string spark_text(const WorkerInfo& x) {
  std::string result;
  for (const auto& version : x.spark_versions)
    result += (result.empty() ? "" : ", ") + version;
  return x.only_spark ? result + " only" : result;
}

std::string address_text(const WorkerInfo& x) {
  return x.port == 0 ? x.host : x.host + ':' + std::to_string(x.port);
}

} // namespace

Table workers_table(const std::vector<WorkerInfo>& workers, Paging paging) {
  Table result;
  result.head = {"Worker", "Host",
                 "State",  "Cores",
                 "Memory", "Other resources",
                 "Spark",  "Given nothing because"};
  result.empty = "No worker has registered. Start one with: stoker worker";
  result.paging = std::move(paging);
  for (const auto& x : workers)
    result.rows.push_back(
        {x.id.value,
         {link_to(x.id), text(address_text(x)), state(to_string(x.state)),
          use(x.cores_used, x.cores), memory_use(x.memory_used_mb, x.memory_mb),
          text(resources_text(x)), text(spark_text(x)),
          text(x.problem.value_or(""))}});
  return result;
}

std::vector<Fact> facts_of(const WorkerInfo& x) {
  std::vector<Fact> result{
      {"Host", text(address_text(x))},
      {"State", state(to_string(x.state))},
      {"Cores in use", use(x.cores_used, x.cores)},
      {"Memory in use", memory_use(x.memory_used_mb, x.memory_mb)},
      {"Last heard of", time(x.last_heartbeat_ms)}};
  if (x.cores_reserved > 0)
    result.push_back({"Cores kept for executors of drivers",
                      number(std::int64_t{x.cores_reserved})});
  for (const auto& [name, addresses] : x.resources) {
    auto used = used_of(x, name);
    result.push_back({"Resource " + name + " in use",
                      use(static_cast<std::int64_t>(used.size()),
                          static_cast<std::int64_t>(addresses.size()))});
    result.push_back(
        {"Addresses of " + name,
         text(list_text(addresses)
              + (used.empty() ? "" : " (in use: " + list_text(used) + ")"))});
  }
  if (!x.spark_versions.empty())
    result.push_back({"Runs programs of Spark", text(spark_text(x))});
  if (x.problem)
    result.push_back({"Given nothing because", text(*x.problem)});
  result.push_back(link_to_events(x.id.value));
  return result;
}

} // namespace stoker::pages
