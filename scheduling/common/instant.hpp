#pragma once

#include <string>

#include "messages/instant.hpp"

namespace stoker {

/// `20261121074600` (UTC), as ids carry it.
std::string compact_date(Instant x);

/// Returns `x` as command line and pages show it, in UTC: "2026-11-21 07:46:00". The clock of a
/// reader is another `x`.
std::string format_time(Instant x);

} // namespace stoker
