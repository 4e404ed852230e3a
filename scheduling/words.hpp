#pragma once

// Quantities in sentences for people.

#include <cstdint>
#include <string>

#include "scheduling/instant.hpp"

namespace stoker {

/// "64 GB" where it is whole, else "1500 MB".
std::string memory_in_words(std::int64_t memory_mb);

/// "1 core", "2 cores"; likewise for other things with an s.
std::string count_in_words(std::int64_t count, const std::string& thing);

inline std::string cores_in_words(std::int64_t cores) {
  return count_in_words(cores, "core");
}

/// "12.5 %", for 0.125.
std::string percent_in_words(double fraction);

/// "45 s", "3 min", "2 h".
std::string duration_in_words(Duration x);

} // namespace stoker
