#pragma once

#include <chrono>
#include <cstdint>

namespace stoker {

/// A point in time: whole milliseconds since 1970. Who decides gets it as an
/// input and reads no clock. A described member of this type that is called
/// `submitted` is written as the number `submitted_ms` (messages/fields.hpp).
using Instant = std::chrono::sys_time<std::chrono::milliseconds>;

using Duration = std::chrono::milliseconds;

/// The number of milliseconds since 1970.
constexpr std::int64_t to_ms(Instant x) {
  return x.time_since_epoch().count();
}

constexpr Instant from_ms(std::int64_t x) {
  return Instant{Duration{x}};
}

} // namespace stoker
