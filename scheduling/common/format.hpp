#pragma once

// Quantities in sentences for people.

#include <cstdint>
#include <string>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// "64 GB" where it is whole, else "1500 MB".
std::string format_memory(std::int64_t memory_mb);

/// The same for an amount that stands beside another one: in GB only where both are whole,
/// so that they can be compared.
std::string format_memory_beside(std::int64_t memory_mb, std::int64_t other_mb);

/// "1 core", "2 cores"; likewise for other things with an s.
std::string format_count(std::int64_t count, const std::string& thing);

inline std::string format_cores(std::int64_t cores) {
  return format_count(cores, "core");
}

/// "12.5 %", for 0.125.
std::string format_percent(double fraction);

/// "45 s", "3 min", "2 h".
std::string format_duration(Duration x);

/// How long something has lasted so far, in its two largest units: "45 s", "1 min 49 s",
/// "2 h", "3 d 4 h". Seconds that are not over do not count, nor does negative time.
std::string format_elapsed(Duration x);

} // namespace stoker
