#pragma once

// Why an application or a driver waits in its user's queue.

#include "messages/planning.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// Says where it stands, and what keeps it there. Looks at all companies and users.
/// @pre it is queued, and its place is in the result
void explain_queued(ExplanationResponse& result, const ClusterState& state,
                    Instant now, ProgramKey key);

} // namespace stoker
