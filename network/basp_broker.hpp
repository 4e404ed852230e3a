#pragma once

#include <chrono>

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

namespace stoker {

/// Speaks BASP with other nodes. A system has one. Its name is another than that of
/// CAF's own, which is there already, and idle. It reads all messages itself: the system's
/// "middleman.workers" has to be 0.
caf::actor basp_broker(caf::actor_system& system);

/// Gives all peers a sign of life so often, until the actor that it returns ends: end
/// it before the system. To be called after `make_local_middleman`.
///
/// CAF's own setting has to be 0. It is for a broker that is idle here, and lets each
/// broker wake itself: one that is woken while its system ends leaks.
caf::actor start_heartbeats(caf::actor_system& system,
                            std::chrono::milliseconds every);

} // namespace stoker
