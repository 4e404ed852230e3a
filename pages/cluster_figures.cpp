#include "pages/cluster_figures.hpp"

#include <string>
#include <utility>

namespace stoker::pages {

std::vector<Fact> facts_of(const ClusterFigures& x) {
  auto workers = std::to_string(x.workers_alive) + " alive";
  for (const auto& [count, what] : {std::pair{x.workers_unknown, " unknown"},
                                    {x.workers_leaving, " leaving"},
                                    {x.workers_left, " left"},
                                    {x.workers_lost, " lost"}})
    if (count > 0)
      workers += ", " + std::to_string(count) + what;
  return {{"Workers", link_to(workers, "/workers")},
          {"Cores in use", use(x.cores_used, x.cores)},
          {"Memory in use", memory_use(x.memory_used_mb, x.memory_mb)},
          {"Applications",
           link_to(std::to_string(x.applications_running) + " running, "
                       + std::to_string(x.applications_waiting) + " waiting",
                   "/applications")},
          {"Executors", text(std::to_string(x.executors))},
          {"Drivers", link_to(std::to_string(x.drivers), "/drivers")}};
}

} // namespace stoker::pages
