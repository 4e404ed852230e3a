#pragma once

#include <optional>
#include <string>

#include "messages/instant.hpp"

namespace stoker {

/// By which clock a time without a zone is meant.
enum class TimeOf { this_machine, utc };

/// A time as people write it: `2026-11-26`, `2026-11-26 14:30`, with seconds, or with a
/// `T` for the space; with a `Z` at its end it is of UTC, with `+01:00` so far from it. Or
/// `today` or `yesterday`: when that began. Or a duration, as `2h`, `1w` or `1d12h`: so long
/// ago. A number alone is nothing: it may be a year, seconds or milliseconds.
std::optional<Instant> parse_time(const std::string& text, Instant now,
                                  TimeOf clock = TimeOf::this_machine);

/// "'x' is no time: ...", with how times are written.
std::string no_time_text(const std::string& text);

} // namespace stoker
