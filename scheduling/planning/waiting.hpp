#pragma once

// Who waits for executors, and the order in which applications are served.

#include "messages/queues.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// Whether it would take another executor. @pre It is admitted.
[[nodiscard]] bool wants_more(const ClusterState& state,
                              const Application& app);

/// Cores of the executors that an admitted application still waits for.
[[nodiscard]] int cores_wanted(const ClusterState& state,
                               const Application& app);

[[nodiscard]] WaitingApplication waiting_info(const ClusterState& state,
                                              const Application& app);

/// Companies, users, and who is served in which order.
[[nodiscard]] QueuesResponse queues(const ClusterState& state, Instant now);

} // namespace stoker
