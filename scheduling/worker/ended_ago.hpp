#pragma once

#include <cstdint>
#include <optional>

#include "messages/instant.hpp"

namespace stoker {

/// What a report says at `now` of an end: how many milliseconds ago it was. Nothing: it
/// is not known, or it is now. So the clocks of worker and master need not agree.
inline std::optional<std::int64_t> ended_ago_ms(std::optional<Instant> ended,
                                                Instant now) {
  return ended && *ended < now ? std::optional{(now - *ended).count()}
                               : std::nullopt;
}

} // namespace stoker
