#pragma once

#include <functional>
#include <string>

#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>

namespace stoker {

/// Calls back once, on some thread, if the actor ends because of an error, such
/// as an exception that nobody caught: "the master has failed: ...". Not when it
/// is told to end, or quits.
void on_failure(caf::actor_system& system, const caf::strong_actor_ptr& actor,
                const std::string& what,
                std::function<void(const std::string& why)> call);

} // namespace stoker
