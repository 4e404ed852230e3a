#pragma once

#include "messages/planning.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// Why a driver waits, or where it runs, without holders. Looks at all workers and at the
/// drivers that wait.
[[nodiscard]] ExplanationResponse explain_briefly(const ClusterState& state,
                                                  const DriverId& id);

/// Looks at all executors, too.
[[nodiscard]] ExplanationResponse explain(const ClusterState& state,
                                          const DriverId& id);

} // namespace stoker
