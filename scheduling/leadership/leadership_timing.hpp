#pragma once

#include "scheduling/common/instant.hpp"

namespace stoker {

/// How long a master that could not go on waits before it tries to lead again.
inline constexpr Duration retry_pause = std::chrono::seconds{1};

/// How often a master in STANDBY tries to get the lock. The kernel frees the
/// lock of a process that ends at once; this is how long that goes unnoticed.
inline constexpr Duration contend_every = std::chrono::milliseconds{20};

/// How often a leader looks whether it still has the lock.
inline constexpr Duration check_lock_every = std::chrono::milliseconds{500};

/// How often a leader shows that it lives, and standbys look for that.
inline constexpr Duration beat_every = std::chrono::seconds{1};

/// How long a leader may take to load what is stored.
inline constexpr Duration longest_opening = std::chrono::minutes{5};

/// A master whose wake-up is late by so much was stopped, or is far behind: what
/// peers have sent meanwhile it has yet to read.
inline constexpr Duration stalled_when_late_by = std::chrono::seconds{1};

/// When commits, one after the other, have held an answer back for so long, peers
/// that wait for it have left their connections, or are about to.
inline constexpr Duration store_stalled_when = std::chrono::seconds{5};

/// How long a master that was stalled has to read what has arrived meanwhile,
/// before it counts anybody as lost.
inline constexpr Duration catch_up_time = std::chrono::seconds{1};

} // namespace stoker
