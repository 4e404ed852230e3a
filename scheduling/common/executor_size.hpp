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

} // namespace stoker
