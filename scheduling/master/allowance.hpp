#pragma once

// What applications may still be given.

#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// Cores that the application may have in all.
[[nodiscard]] int cores_max_of(const ClusterState& state,
                               const ApplicationDescription& description);
[[nodiscard]] int cores_max_of(const ClusterState& state,
                               const Application& app);

/// Cores that it may still be given. @pre It is admitted.
[[nodiscard]] int cores_left(const ClusterState& state, const Application& app);

/// Executors that it may still be given; negative when it has more than it asks
/// for.
[[nodiscard]] int executors_left(const Application& app);

/// Executors that it needs at once before more are of use to it: of its gang, those
/// that it could still have.
[[nodiscard]] int gang_of(const Application& app);

/// How many executors it takes at the least, if any. 1: it takes what there is; more:
/// so many are missing of its gang.
[[nodiscard]] int executors_at_once(const Application& app);

/// What a pass has to know of it: nothing is wanted while its driver is away, since
/// that may have ended, and what is started then would be done for nobody; nor if the
/// rules for tenants do not know its user.
/// @pre It is admitted.
[[nodiscard]] ExecutorDemand demand_of(const ClusterState& state,
                                       const Application& app);

/// Whether it would take another executor. @pre It is admitted.
[[nodiscard]] bool wants_executor(const ClusterState& state,
                                  const Application& app);

} // namespace stoker
