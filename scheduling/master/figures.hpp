#pragma once

// What applications may still have, and how large their executors are.

#include <optional>
#include <string>

#include "messages/result.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// Cores that the application may have in all.
[[nodiscard]] int cores_max_of(const ClusterState& state,
                               const Application& app);

/// Cores that it may still be given. @pre It is admitted.
[[nodiscard]] int cores_left(const ClusterState& state, const Application& app);

/// Executors that it may still be given; negative when it has more than it asks
/// for.
[[nodiscard]] int executors_left(const Application& app);

/// The size of executors that the application would be given now.
/// @pre There are tenants.
[[nodiscard]] ExecutorSize size_for(const ClusterState& state,
                                    const Application& app);

/// What all its executors would take.
[[nodiscard]] Resources request_of(const ClusterState& state,
                                   const Application& app, ExecutorSize size);

/// What a pass has to know of it. @pre It is admitted.
[[nodiscard]] ExecutorDemand demand_of(const ClusterState& state,
                                       const Application& app);

/// Whether a worker could ever run what needs so much; if not, what the largest
/// has. Without a worker to compare with it could: one may come. `what` names the
/// thing.
Status could_ever_fit(const ClusterState& state, ExecutorSize size,
                      const ResourceAmounts& named, const std::string& what);

} // namespace stoker
