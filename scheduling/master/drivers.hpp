#pragma once

// Drivers: submission, kill, the end, and another life elsewhere.

#include <optional>
#include <string>

#include "messages/administration.hpp"
#include "messages/driver.hpp"
#include "scheduling/master/room.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

void handle(Step& step, const RequestSubmitDriver& x);
void handle(Step& step, const RequestKillDriver& x);
void handle(Step& step, const DriverStateChanged& x);

/// Starts a waiting driver. @pre The worker has room for it.
void launch_driver(Step& step, DriverKey driver, WorkerKey worker);

/// It is gone with its worker, or unknown to it: it fails, or runs again under a
/// new id.
void lose_driver(Step& step, DriverKey key, Room room);

} // namespace stoker
