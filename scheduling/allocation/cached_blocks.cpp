#include "scheduling/allocation/cached_blocks.hpp"

#include <limits>

namespace stoker {

namespace {

constexpr int first_dataset = std::numeric_limits<int>::min();

} // namespace

void CachedBlocks::store(int exec_id, int dataset, int partition) {
  partitions_[{exec_id, dataset}].insert(partition);
  executors_[dataset].insert(exec_id);
}

void CachedBlocks::drop(int exec_id, int dataset, int partition) {
  auto i = partitions_.find({exec_id, dataset});
  if (i == partitions_.end())
    return;
  i->second.erase(partition);
  if (!i->second.empty())
    return;
  partitions_.erase(i);
  auto holders = executors_.find(dataset);
  holders->second.erase(exec_id);
  if (holders->second.empty())
    executors_.erase(holders);
}

std::vector<int> CachedBlocks::drop_dataset(int dataset) {
  auto holders = executors_.find(dataset);
  if (holders == executors_.end())
    return {};
  std::vector<int> result(holders->second.begin(), holders->second.end());
  for (auto exec_id : result)
    partitions_.erase({exec_id, dataset});
  executors_.erase(holders);
  return result;
}

void CachedBlocks::drop_executor(int exec_id) {
  auto i = partitions_.lower_bound({exec_id, first_dataset});
  while (i != partitions_.end() && i->first.first == exec_id) {
    auto holders = executors_.find(i->first.second);
    holders->second.erase(exec_id);
    if (holders->second.empty())
      executors_.erase(holders);
    i = partitions_.erase(i);
  }
}

bool CachedBlocks::has_any(int exec_id) const {
  auto i = partitions_.lower_bound({exec_id, first_dataset});
  return i != partitions_.end() && i->first.first == exec_id;
}

} // namespace stoker
