#pragma once

// Why an application waits, or runs where it runs: for people who ask, not for
// the scheduler.

#include "messages/planning.hpp"
#include "scheduling/master/cluster.hpp"

namespace stoker {

/// Says nothing of holders. Looks at all workers and at the applications before it.
[[nodiscard]] ExplanationResponse explain_briefly(const ClusterState& state,
                                                  Instant now, const AppId& id);

/// Looks at all executors, too.
[[nodiscard]] ExplanationResponse
explain_without_estimate(const ClusterState& state, Instant now,
                         const AppId& id);

/// And estimates when it starts, which takes a copy of the cluster.
[[nodiscard]] ExplanationResponse explain(const Cluster& cluster, Instant now,
                                          const AppId& id);

} // namespace stoker
