#include "scheduling/placement/demand_index.hpp"

namespace stoker {

void DemandIndex::set(QueuePosition app, ExecutorSize size) {
  if (auto i = sizes_.find(app); i != sizes_.end()) {
    if (i->second == size)
      return;
    erase(app);
  }
  sizes_[app] = size;
  apps_[size.cores][size.memory_mb].insert(app);
}

void DemandIndex::erase(QueuePosition app) {
  auto node = sizes_.extract(app);
  if (node.empty())
    return;
  auto by_cores = apps_.find(node.mapped().cores);
  auto by_memory = by_cores->second.find(node.mapped().memory_mb);
  by_memory->second.erase(app);
  // Sizes that nobody wants any more are not looked at any more.
  if (by_memory->second.empty())
    by_cores->second.erase(by_memory);
  if (by_cores->second.empty())
    apps_.erase(by_cores);
}

} // namespace stoker
