#pragma once

// Which workers an application's executors go to: the assignment step of a
// scheduling pass (document 000, sections 3 to 6).

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace stoker {

/// What placement knows of a worker.
struct FreeResources {
  int cores = 0;
  std::int64_t memory_mb = 0;

  /// Executors that its named resources suffice for.
  int executors = std::numeric_limits<int>::max();
};

/// What placement knows of an application.
struct ExecutorDemand {
  /// Unset: one executor a worker, as wide as it can be.
  std::optional<int> cores_per_executor;

  std::int64_t memory_per_executor_mb = 0;

  /// Cores that the application may still be given.
  int cores_left = 0;

  /// Executors that it may still be given.
  int executors_left = 0;

  /// So many of them it cannot do without: no executor is widened with cores that
  /// these need.
  int at_once = 1;

  /// Cores are given in portions of this size.
  [[nodiscard]] int cores_min() const noexcept {
    return cores_per_executor.value_or(1);
  }
};

/// Returns how many cores each of `workers` gives, in the same order.
///
/// Spread out: walks the workers round robin, one portion at a visit.
/// Otherwise: stays at one worker until it can take no more, then the next.
/// Whole executors are given at a time, so that no cores are stranded in
/// fractions of executors (SPARK-8881).
///
/// With `cores_per_executor` unset, memory, named resources and
/// `executors_left` are looked at only for a worker's first core: more cores
/// make its one executor wider.
[[nodiscard]] std::vector<int>
assign_cores(const ExecutorDemand& demand,
             std::span<const FreeResources> workers, bool spread_out);

/// An upper bound for the number of workers that `assign_cores` gives anything
/// on: workers beyond the first so many usable ones change nothing.
[[nodiscard]] int workers_needed(const ExecutorDemand& demand);

/// How many executors `cores` on one worker make.
[[nodiscard]] int executors_in(const ExecutorDemand& demand, int cores);

} // namespace stoker
