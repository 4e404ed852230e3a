#pragma once

// How large executors are whose application does not say it, and whether there
// is a worker for them.

#include <string>

#include "messages/result.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// Returns whether the rules for tenants admit applications with a part of what they ask for.
[[nodiscard]] bool admits_in_part(const ClusterState& state);

/// Returns the most that the rules for tenants ever allow an application beside its driver.
[[nodiscard]] Resources most_beside_driver(const ClusterState& state,
                                           const ApplicationDescription& x);

/// The size of executors that the application would be given now.
/// @pre There are tenants.
[[nodiscard]] ExecutorSize size_for(const ClusterState& state,
                                    const Application& app);

/// The smallest executors that the application could be given now.
/// @pre There are tenants.
[[nodiscard]] ExecutorSize smallest_size_for(const ClusterState& state,
                                             const Application& app);

/// What all its executors would take.
[[nodiscard]] Resources request_of(const ClusterState& state,
                                   const Application& app, ExecutorSize size);

/// What it cannot do without: an executor, or those of its gang.
/// @param request what all its executors would take
[[nodiscard]] Resources least_of(const Application& app, ExecutorSize size,
                                 const Resources& request);

/// "no worker has Spark 3.5 (start one with --spark-home)"
[[nodiscard]] std::string lacks_kind(const ProgramKind& kind);

/// Whether a worker could ever run what needs so much; if not, what those have that run
/// such programs. Without a worker to compare with it could: one may come. `what` names the
/// thing.
Status could_ever_fit(const ClusterState& state, ExecutorSize size,
                      const Requirements& needs, const std::string& what);

/// Whether workers that are registered could hold so many executors at once if they
/// ran nothing; if not, what is needed and what is there. Looks at all workers.
[[nodiscard]] Status gang_could_ever_fit(const ClusterState& state,
                                         const ExecutorShape& shape, int gang);

} // namespace stoker
