#pragma once

// Drivers that start only together with the executors that they need
// (SPARK-27750): room for the executors is taken when the driver is started, and
// given to the application that the driver registers.

#include "scheduling/master/step.hpp"

namespace stoker {

/// How many such executors there is room for now.
[[nodiscard]] std::int64_t slots_for(const ClusterState& state,
                                     const DriverExecutors& wanted);

/// Whether the executors would still fit with the driver on that worker.
/// @param slots_now What `slots_for` returned.
[[nodiscard]] bool leaves_room(const ClusterState& state, WorkerKey worker,
                               const DriverDescription& driver,
                               std::int64_t slots_now);

/// What is kept on a worker for executors that drivers wait for.
[[nodiscard]] Resources reserved_on(const ClusterState& state,
                                    const Worker& worker);

/// Takes room for the executors of a driver that has just been started.
void reserve_executors(Step& step, DriverKey key);

/// Gives back what is still reserved for a driver.
void release_reservations(Step& step, DriverKey key);

/// Starts executors where they were reserved for the application's driver.
void claim_reservations(Step& step, AppKey key);

/// A driver's reservations may have been kept for long enough.
void check_driver(Step& step, DriverKey key);

/// All reservations are kept for so much longer.
void postpone_reservations(Step& step, Duration by);

} // namespace stoker
