#include "pages/cluster_figures.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace stoker::pages {

namespace {

/// ", 2 lost": those that there are.
std::string counts_text(
    std::initializer_list<std::pair<std::int64_t, const char*>> counts) {
  std::string result;
  for (const auto& [count, what] : counts)
    if (count > 0)
      result += ", " + std::to_string(count) + ' ' + what;
  return result;
}

std::string running_and_waiting(std::int64_t running, std::int64_t waiting) {
  return std::to_string(running) + " running, " + std::to_string(waiting)
         + " waiting";
}

} // namespace

std::vector<Fact> facts_of(const ClusterFigures& x) {
  auto workers = std::to_string(x.workers_alive) + " alive"
                 + counts_text({{x.workers_unknown, "unknown"},
                                {x.workers_leaving, "leaving"},
                                {x.workers_left, "left"},
                                {x.workers_lost, "lost"}});
  return {{"Workers", link_to(workers, "/workers")},
          {"Cores in use", use(x.cores_used, x.cores)},
          {"Memory in use", memory_use(x.memory_used_mb, x.memory_mb)},
          {"Applications", link_to(running_and_waiting(x.applications_running,
                                                       x.applications_waiting),
                                   "/applications")},
          {"Executors", text(std::to_string(x.executors))},
          {"Drivers",
           link_to(running_and_waiting(x.drivers_running, x.drivers_waiting)
                       + counts_text({{x.drivers_unknown, "unknown"}}),
                   "/drivers")}};
}

} // namespace stoker::pages
