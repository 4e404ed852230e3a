#pragma once

#include <caf/fwd.hpp>

namespace stoker {

/// Makes every message and error of Stoker known to CAF. Call it on each
/// configuration before its actor system starts: what is not registered
/// serializes to nothing, without an error.
void register_messages(caf::actor_system_config& config);

} // namespace stoker
