#pragma once

// What a master knows, for people and for those who connect them. Nothing here
// decides.

#include <optional>
#include <utility>

#include "messages/administration.hpp"
#include "messages/driver.hpp"
#include "messages/errc.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

[[nodiscard]] ExecutorInfo info_of(const StoredExecutor& x);
[[nodiscard]] ApplicationInfo info_of(const Application& app);
[[nodiscard]] DriverInfo info_of(const Driver& driver);

/// Everything. Looks at all there is.
[[nodiscard]] MasterStateResponse snapshot(const ClusterState& state);

[[nodiscard]] DriverStatusResponse driver_status(const ClusterState& state,
                                                 const DriverId& id);

/// The description of a present application; null: there is none.
[[nodiscard]] const ApplicationDescription*
find_description(const ClusterState& state, const AppId& id);

/// The same of a driver that is known.
[[nodiscard]] const DriverDescription*
find_description(const ClusterState& state, const DriverId& id);

/// The worker that holds the output of an executor or driver, present or ended.
/// `Errc::not_found`: no such thing is known; `Errc::not_running`: it has no
/// worker yet, or that worker is not connected.
[[nodiscard]] std::pair<Errc, EndpointId>
find_log_holder(const ClusterState& state, const RequestLog& request);

/// What ALIVE workers have in all, and free. Looks at all workers.
[[nodiscard]] std::pair<Resources, Resources>
total_and_free(const ClusterState& state);

/// Who is behind an endpoint; nobody: nothing.
[[nodiscard]] std::optional<WorkerId> worker_at(const ClusterState& state,
                                                const EndpointId& endpoint);
[[nodiscard]] std::optional<AppId> application_at(const ClusterState& state,
                                                  const EndpointId& endpoint);

} // namespace stoker
