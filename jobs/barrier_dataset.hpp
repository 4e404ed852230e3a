#pragma once

#include <type_traits>
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
    require_job_function<F>();
    using U = EmittedBy<F>;
    static_assert(
        !std::is_void_v<U>,
        "the function of map_partitions takes (Elements<T>&, Emit<U>&)");
    auto node = parent_.template narrow_node<MapPartitions<T, U, F>>(
        "barrier", state_of(f));
    node->is_barrier = true;
    return Dataset<U>{parent_.runner_, std::move(node)};
  }

private:
  Dataset<T> parent_;
};

} // namespace stoker::jobs
