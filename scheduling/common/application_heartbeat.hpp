#pragma once

#include <cstdint>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// How often an application says that it is there.
inline constexpr Duration application_heartbeat_interval
    = std::chrono::seconds{15};

/// Having heard of so many ends, it says so at once.
inline constexpr std::uint64_t ends_per_heartbeat = 256;

} // namespace stoker
