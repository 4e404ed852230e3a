#pragma once

// Which applications and drivers hold what another one waits for.

#include "messages/planning.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// Names those that hold what is missing. Looks at all applications and drivers.
/// @pre the blocker is known, and with tenants the place
void find_holders(ExplanationResponse& result, const ClusterState& state);

} // namespace stoker
