#pragma once

#include "messages/planning.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

class Cluster;

/// What would happen if: steps a copy of the cluster, and changes nothing.
/// Workers and applications that are only thought of are named `new-worker-1`
/// and, by their names or else, `new-app-1`, and so on.
PlanResponse plan(const Cluster& cluster, Instant now,
                  const RequestPlan& request);

} // namespace stoker
