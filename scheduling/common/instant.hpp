#pragma once

#include <chrono>
#include <string>

namespace stoker {

/// Points in time are inputs: nothing in this folder reads a clock.
/// Milliseconds since 1970, never going backwards from step to step.
using Instant = std::chrono::sys_time<std::chrono::milliseconds>;

using Duration = std::chrono::milliseconds;

/// The number of milliseconds since 1970, as messages carry it.
inline std::int64_t to_ms(Instant x) {
  return x.time_since_epoch().count();
}

/// `20261121074600` (UTC), as ids carry it.
std::string compact_date(Instant x);

} // namespace stoker
