#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace stoker {

/// Which executors have which partitions of datasets in memory.
class CachedBlocks {
public:
  void store(int exec_id, int dataset, int partition);

  /// Changes nothing if it is not there.
  void drop(int exec_id, int dataset, int partition);

  /// Returns the executors that had any of it.
  std::vector<int> drop_dataset(int dataset);

  void drop_executor(int exec_id);

  [[nodiscard]] bool has_any(int exec_id) const;

private:
  /// By executor and dataset; none is empty.
  std::map<std::pair<int, int>, std::set<int>> partitions_;

  /// The same pairs, by dataset; none is empty.
  std::map<int, std::set<int>> executors_;
};

} // namespace stoker
