#pragma once

#include <string>

#include "messages/instant.hpp"

namespace stoker {

/// `20261121074600` (UTC), as ids carry it.
std::string compact_date(Instant x);

} // namespace stoker
