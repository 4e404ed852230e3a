#pragma once

// Room that is kept for executors: of drivers that start only together with the
// executors that they need (SPARK-27750), until the application that the driver
// registers takes it; and of gangs that have waited for long (gangs.hpp).

#include "scheduling/master/step.hpp"

namespace stoker {

/// For how many of the executors that it cannot do without there is room now.
/// @pre `driver.executors`
[[nodiscard]] std::int64_t slots_for(const ClusterState& state,
                                     const DriverDescription& driver);

/// For how many of them there would still be room with the driver on that worker.
/// @param slots_now What `slots_for` returned.
[[nodiscard]] std::int64_t slots_beside(const ClusterState& state,
                                        WorkerKey worker,
                                        const DriverDescription& driver,
                                        std::int64_t slots_now);

/// Whether the executors would still fit with the driver on that worker.
/// @param slots_now What `slots_for` returned.
[[nodiscard]] bool leaves_room(const ClusterState& state, WorkerKey worker,
                               const DriverDescription& driver,
                               std::int64_t slots_now);

/// What is kept on a worker, whoever for.
[[nodiscard]] Resources reserved_on(const ClusterState& state,
                                    WorkerKey worker);

/// Takes room for the executors of a driver that has just been started.
void reserve_executors(Step& step, DriverKey key);

/// Keeps what is free, one executor a worker and round (spread out, unless that is not
/// wanted), until room for so many is kept. @pre the owner's reservation has begun
void reserve_free(Step& step, ReservationOwner owner, int wanted);

/// Gives back all that is kept, which its owner keeps again later in the same pass.
/// @return what was given back, for `keep_again`
[[nodiscard]] std::vector<ReservedPlace> lend(Step& step,
                                              ReservationOwner owner);

/// Keeps these places again, up to `wanted` in all. Of a place that is not free as a whole,
/// the part that is free is kept: the owner needs all of it when what was lent has ended.
/// @pre the owner's reservation has begun
void keep_again(Step& step, ReservationOwner owner,
                const std::vector<ReservedPlace>& places, int wanted);

/// Keeps as a whole again what was lent in part and has been returned.
void complete_places(Step& step, ReservationOwner owner, int wanted);

/// Takes over a driver's reservations, as they were stored.
void restore_reservations(Step& step, DriverKey key,
                          const std::vector<StoredReservation>& reservations);

/// Gives back what is still kept.
void release_reservations(Step& step, ReservationOwner owner);

/// Gives back what is kept where nothing is started at present.
void release_unusable(Step& step, ReservationOwner owner);

/// A worker is gone, and what was kept there.
void lose_reservations(Step& step, WorkerKey worker);

/// Starts executors where they were reserved for the application's driver. An application
/// in a queue is admitted with these.
void claim_reservations(Step& step, AppKey key);

/// A driver's reservations may have been kept for long enough.
void check_driver(Step& step, DriverKey key);

/// All reservations are kept for so much longer.
void postpone_reservations(Step& step, Duration by);

} // namespace stoker
