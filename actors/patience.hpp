#pragma once

#include <chrono>

namespace stoker {

/// How long an actor waits for a connection: longer than one takes that succeeds.
inline constexpr std::chrono::seconds connect_patience{10};

/// How long an actor waits for what a master answers.
inline constexpr std::chrono::seconds master_patience{10};

} // namespace stoker
