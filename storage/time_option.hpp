#pragma once

#include <optional>
#include <string>

#include "messages/instant.hpp"

namespace stoker {

/// A time as people write it: `2026-11-26`, `2026-11-26 14:30`, with seconds, or with a
/// `T` for the space, by this machine's clock; or a duration, as `2h`: so long ago.
/// Nothing: neither.
std::optional<Instant> parse_time(const std::string& text, Instant now);

} // namespace stoker
