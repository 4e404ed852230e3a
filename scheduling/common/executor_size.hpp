#pragma once

#include <compare>
#include <cstdint>

namespace stoker {

/// What one executor needs at least, or a worker has free.
struct ExecutorSize {
  int cores = 1;
  std::int64_t memory_mb = 0;

  /// By cores, then by memory; to ask whether one has room in the other, see
  /// `fits_in`.
  friend auto operator<=>(const ExecutorSize&, const ExecutorSize&) = default;
};

/// Whether `a` needs no more than `b` in either respect.
constexpr bool fits_in(const ExecutorSize& a, const ExecutorSize& b) {
  return a.cores <= b.cores && a.memory_mb <= b.memory_mb;
}

/// How many executors of a size there is room for. @pre `each` has cores
constexpr std::int64_t slots_in(const ExecutorSize& free,
                                const ExecutorSize& each) {
  std::int64_t by_cores = free.cores / each.cores;
  if (each.memory_mb <= 0)
    return by_cores;
  auto by_memory = free.memory_mb / each.memory_mb;
  return by_memory < by_cores ? by_memory : by_cores;
}

} // namespace stoker
