#pragma once

#include <utility>

#include "jobs/dataset.hpp"

namespace stoker::jobs {

/// What Dataset::barrier returns: partitions that are made by tasks which begin together
/// and can wait for each other.
///
///     rows.barrier().map_partitions([](Elements<Row>& all, Emit<Model>& emit) {
///       ... task_context().barrier() ...
///     })
///
/// All that is in the same stage, up to a shuffle on either side, begins and is tried
/// again with it. It has the same partitions, all of them: with take, first, union_with,
/// coalesce or a second barrier beside it the job fails (barrier_rules.hpp).
template <class T>
class BarrierDataset {
public:
  explicit BarrierDataset(Dataset<T> parent) : parent_(std::move(parent)) {
  }

  /// All that `f(Elements<T>&, Emit<U>&)` emits for each partition.
  template <class F>
  [[nodiscard]] auto map_partitions(F f) const {
    auto node = parent_.whole_partitions("barrier", f);
    node->is_barrier = true;
    return Dataset<EmittedBy<F>>{parent_.runner_, std::move(node)};
  }

private:
  Dataset<T> parent_;
};

} // namespace stoker::jobs
