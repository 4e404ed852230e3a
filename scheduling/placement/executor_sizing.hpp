#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "scheduling/placement/demand_index.hpp"

namespace stoker {

/// No executor has more cores (document 001).
inline constexpr int executor_cores_max = 16;

/// What workers have free, as far as the size of executors depends on it.
/// Changes take a time that grows with the logarithm of the number of workers,
/// answers a constant one. A plain value.
///
/// A worker is usable if it has at least the smallest executor free.
class FreeCensus {
public:
  explicit FreeCensus(ExecutorSize smallest) : smallest_(smallest) {
  }

  /// Adds a worker, or changes what it has free.
  void set(std::uint32_t number, int cores, std::int64_t memory_mb);

  /// Removes a worker; an unknown one is harmless.
  void erase(std::uint32_t number);

  [[nodiscard]] ExecutorSize smallest() const noexcept {
    return smallest_;
  }

  /// The number of usable workers.
  [[nodiscard]] std::size_t usable() const noexcept {
    return usable_.size();
  }

  /// The number of usable workers with at least so many cores free.
  /// @pre `cores` is at most the smallest executor's, or 8, or 16
  [[nodiscard]] std::size_t usable(int cores) const {
    return memory_of(cores).size();
  }

  /// The least free memory of such a worker; nothing if there is none.
  /// @pre as above
  [[nodiscard]] std::optional<std::int64_t> least_memory_mb(int cores) const;

private:
  using Memories = std::multiset<std::int64_t>;

  [[nodiscard]] const Memories& memory_of(int cores) const;

  ExecutorSize smallest_;

  /// Of usable workers.
  std::map<std::uint32_t, ExecutorSize> workers_;

  // Free memory of the usable workers with enough cores.
  Memories usable_;
  Memories with_8_;
  Memories with_16_;
};

/// The size of the executors of an application that asks for so many cores in
/// all (document 001):
///
/// - as many cores as the smallest executor has; or 8, when most usable workers
///   have 8 free and it asks for at least 8 for each usable worker; or 16
///   likewise; but not more than it asks for, else it could never run;
/// - the memory of a task for each core; where that is unset, 512 MB for each
///   core, or 256 MB when a usable worker with enough cores has no more than
///   256 MB for each core free.
///
/// @pre `request_cores` is greater than 0
ExecutorSize size_executor(const FreeCensus& census, int request_cores,
                           std::optional<std::int64_t> memory_per_task_mb);

} // namespace stoker
