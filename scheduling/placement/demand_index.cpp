#include "scheduling/placement/demand_index.hpp"

namespace stoker {

void DemandIndex::set(QueuePosition app, ExecutorSize size, int at_once) {
  Wanted wanted{size, at_once};
  if (auto i = wanted_.find(app); i != wanted_.end()) {
    if (i->second == wanted)
      return;
    erase(app);
  }
  wanted_.emplace(app, wanted);
  apps_[size.cores][size.memory_mb][at_once].insert(app);
}

void DemandIndex::erase(QueuePosition app) {
  auto node = wanted_.extract(app);
  if (node.empty())
    return;
  const auto& [size, at_once] = node.mapped();
  auto by_cores = apps_.find(size.cores);
  auto by_memory = by_cores->second.find(size.memory_mb);
  auto by_count = by_memory->second.find(at_once);
  by_count->second.erase(app);
  // Sizes that nobody wants any more are not looked at any more.
  if (by_count->second.empty())
    by_memory->second.erase(by_count);
  if (by_memory->second.empty())
    by_cores->second.erase(by_memory);
  if (by_cores->second.empty())
    apps_.erase(by_cores);
}

} // namespace stoker
