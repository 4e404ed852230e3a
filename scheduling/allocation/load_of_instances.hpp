#pragma once

#include <map>
#include <set>
#include <utility>

#include "scheduling/allocation/allocation_events.hpp"
#include "scheduling/application/run_progress.hpp"

namespace stoker {

/// What becomes of an application's instances, as its load: each is a task of one stage,
/// and has an executor of its own that ends with it.
class LoadOfInstances {
public:
  /// @pre `instances.count` is at least 1
  explicit LoadOfInstances(Instances instances)
      : progress_(std::move(instances)) {
  }

  /// What there is at first.
  [[nodiscard]] AllocationEvents begin() const;

  /// What an executor's news change. To be called for each.
  AllocationEvents after(const ExecutorAdded& x);
  AllocationEvents after(const ExecutorUpdated& x);

private:
  void begin_attempt(AllocationEvents& out, int exec_id);
  void end_attempt(AllocationEvents& out, const ExecutorUpdated& x);

  RunProgress progress_;

  /// Executors by instance: an old one may come back beside the one that took its place.
  std::map<int, std::set<int>> attempts_;
  std::set<int> done_;
};

} // namespace stoker
