#pragma once

// How applications and drivers have ended, for those who wait for it.

#include "messages/following.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// The driver that runs in the place of this one, or this one. Null: nobody knows it.
[[nodiscard]] const StoredDriver* find_last_start(const ClusterState& state,
                                                  const DriverId& id);

/// In the order of the request, drivers last. Of a driver that goes on elsewhere under
/// another id: of that one. An application has not ended while instances of it have to
/// that were told to.
[[nodiscard]] EndsResponse program_ends(const ClusterState& state,
                                        const RequestEnds& request);

[[nodiscard]] ProgramEnd end_of(const EndedApplication& x);

/// Of this driver, whether or not another runs in its place.
[[nodiscard]] ProgramEnd end_of(const StoredDriver& x);

/// Whether an application or a driver has ended with these: nobody else has to be answered
/// for them who waits for an end.
/// @param state as it is with them, or later
[[nodiscard]] bool tell_of_ends(const ClusterState& state,
                                const Changes& changes);

/// Whether there is nothing to wait for: each has ended, or nobody knows it.
[[nodiscard]] bool all_have_ended(const ClusterState& state,
                                  const RequestEnds& request);

} // namespace stoker
