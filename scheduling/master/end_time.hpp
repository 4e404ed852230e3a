#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "messages/instant.hpp"

namespace stoker {

/// When a program ended of which a report is heard `now`. Not before `began`, nor after
/// now, whatever a worker says.
/// @param ago_ms How long ago it was by the worker's clock; nothing: it is now.
inline Instant end_time(Instant now, Instant began,
                        std::optional<std::int64_t> ago_ms) {
  auto most = std::max(now - began, Duration{});
  return now - std::clamp(Duration{ago_ms.value_or(0)}, Duration{}, most);
}

} // namespace stoker
