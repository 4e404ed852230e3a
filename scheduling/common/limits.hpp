#pragma once

#include <cstdint>

namespace stoker {

// The largest figures that are taken from others: far beyond any machine, and
// small enough that no sum or product of them overflows.

inline constexpr int cores_max = 1'000'000;
inline constexpr std::int64_t memory_mb_max = std::int64_t{1} << 40;

/// Instances are remembered one by one.
inline constexpr int instances_max = 100'000;

} // namespace stoker
