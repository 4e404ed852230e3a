#pragma once

#include <cstddef>
#include <optional>
#include <set>

#include "messages/ids.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/placement/capacity_index.hpp"
#include "scheduling/placement/demand_index.hpp"

namespace stoker {

/// Workers that have something free, and the applications that it may be of use
/// to. There is one pool for all workers, and one for each named resource with
/// those workers that have any of it free: an application that needs GPUs looks
/// at no worker without one, and a worker without one does not wake it.
///
/// After a pass no worker is left that could take an executor of an application
/// that wants one. So in the next one only those applications can be helped
/// that want more since, or whose executor fits into a worker that has more
/// free since.
class Pool {
public:
  explicit Pool(WorkerSelectionPolicy policy) : capacity_(policy) {
  }

  [[nodiscard]] const CapacityIndex& capacity() const noexcept {
    return capacity_;
  }
  [[nodiscard]] const DemandIndex& waiting() const noexcept {
    return waiting_;
  }

  /// What an ALIVE worker has free; unset: nothing, or it is none (any more).
  void set_free(WorkerKey key, const WorkerId& id,
                std::optional<ExecutorSize> free);

  /// The size of the executors that an application would take, and how many it takes
  /// at once; unset: none.
  void set_wanted(QueuePosition app, std::optional<ExecutorSize> size,
                  int at_once = 1);

  /// For how many executors of this size there are cores and memory, counted up to
  /// `enough`. Looks at no more workers than it counts.
  [[nodiscard]] int slots(ExecutorSize size, int enough) const;

  /// The first application, from `from` on, that may find room in this pass.
  [[nodiscard]] std::optional<QueuePosition>
  next_to_help(QueuePosition from) const;

  /// Everybody has been helped as far as possible.
  void end_pass() {
    more_free_.clear();
    more_wanted_.clear();
  }

private:
  CapacityIndex capacity_;

  /// Workers that have more free than in the last pass.
  std::set<WorkerKey> more_free_;

  /// Applications that would take another executor.
  DemandIndex waiting_;

  /// Those of them that may want more than in the last pass.
  std::set<QueuePosition> more_wanted_;
};

} // namespace stoker
