#pragma once

#include "scheduling/common/instant.hpp"

namespace stoker {

/// How often an application says that it is there.
inline constexpr Duration application_heartbeat_interval
    = std::chrono::seconds{15};

} // namespace stoker
