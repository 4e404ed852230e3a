#pragma once

// What a master knows, for people and for those who connect them. Nothing here
// decides.

#include <optional>
#include <utility>

#include "messages/administration.hpp"
#include "messages/driver.hpp"
#include "messages/input.hpp"
#include "messages/output.hpp"
#include "messages/result.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

[[nodiscard]] ExecutorInfo info_of(const StoredExecutor& x);

/// But for its executors, the cores of these, and instances that are done while it is present.
[[nodiscard]] ApplicationInfo info_of(const StoredApplication& x);

/// But for executors whose room is kept. Of one that is being ended the message says so.
[[nodiscard]] DriverInfo info_of(const StoredDriver& x);

/// Whether somebody has ordered its end, and it has not ended yet.
[[nodiscard]] bool is_being_ended(const StoredDriver& x);

/// What people are told of such a one, behind its name or as a sentence.
constexpr const char* being_ended_text
    = "its end was ordered: it is killed if it does not end by itself";

/// But for its executors.
[[nodiscard]] ApplicationInfo info_of(const Application& app);
[[nodiscard]] DriverInfo info_of(const ClusterState& state, DriverKey key);

/// All that is asked for. Looks at all there is of it.
[[nodiscard]] MasterStateResponse
snapshot(const ClusterState& state, const RequestMasterState& request = {});

[[nodiscard]] DriverStatusResponse driver_status(const ClusterState& state,
                                                 const DriverId& id);

/// The description of a present application; null: there is none.
[[nodiscard]] const ApplicationDescription*
find_description(const ClusterState& state, const AppId& id);

/// The same of a driver that is known.
[[nodiscard]] const DriverDescription*
find_description(const ClusterState& state, const DriverId& id);

/// Where the output of an executor or driver is, present or ended. Nothing: no
/// such thing is known.
[[nodiscard]] std::optional<OutputPlaceResponse>
output_place(const ClusterState& state, const RequestOutputPlace& request);

/// Where a worker is that may still answer. Nothing: it is lost, or not known.
[[nodiscard]] std::optional<EndpointId>
find_output_holder(const ClusterState& state, const WorkerId& id);

/// How the worker is reached whose executor an application writes to. Fails with
/// `Errc::not_found`, if the executor is not known or does not run there.
[[nodiscard]] Result<EndpointId> find_input_reader(const ClusterState& state,
                                                   const WriteInput& x);

/// What ALIVE workers have in all, and free. Looks at all workers.
[[nodiscard]] std::pair<Resources, Resources>
total_and_free(const ClusterState& state);

/// Who is behind an endpoint; nobody: nothing.
[[nodiscard]] std::optional<WorkerId> worker_at(const ClusterState& state,
                                                const EndpointId& endpoint);
[[nodiscard]] std::optional<AppId> application_at(const ClusterState& state,
                                                  const EndpointId& endpoint);

} // namespace stoker
