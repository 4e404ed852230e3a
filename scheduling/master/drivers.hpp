#pragma once

// Drivers: submission, kill, the end, and another life elsewhere.

#include <optional>
#include <string>
#include <vector>

#include "messages/administration.hpp"
#include "messages/driver.hpp"
#include "messages/result.hpp"
#include "scheduling/master/room.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

/// What is wrong with it, whatever the cluster has and runs: Errc::invalid_request.
[[nodiscard]] Status check_submission(const RequestSubmitDriver& x);

void handle(Step& step, const RequestSubmitDriver& x);
void handle(Step& step, const RequestKillDriver& x);
void handle(Step& step, const DriverStateChanged& x);

/// Adds one that was allowed, and that may be admitted when those have ended that it waits
/// for. It fails if it waits for none and could never be admitted.
DriverId add_driver(Step& step, const RequestSubmitDriver& x,
                    std::vector<Dependency> waits_for);

/// One that has not been started cannot be, for this reason.
void fail_driver(Step& step, DriverKey key, const std::string& why);

/// Starts a waiting driver. @pre The worker has room for it.
void launch_driver(Step& step, DriverKey driver, WorkerKey worker);

/// Its worker is there, and the order to start it has not arrived: it waits again, as the same
/// driver.
void return_driver(Step& step, DriverKey key);

/// It is gone with its worker, or was when that came back: it fails, or runs again under a new
/// id.
/// @param when It ended; unset: now.
void lose_driver(Step& step, DriverKey key, Room room,
                 std::optional<Instant> when = {});

} // namespace stoker
