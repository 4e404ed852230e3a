#pragma once

#include "messages/planning.hpp"
#include "messages/result.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/master/cluster.hpp"

namespace stoker {

/// What is wrong with the question, whatever the cluster has and runs:
/// Errc::invalid_request.
[[nodiscard]] Status check_plan(const RequestPlan& request);

/// What would happen if: steps a copy of the cluster.
/// Workers and applications that are only thought of are named `new-worker-1`
/// and, by their names or else, `new-app-1`, and so on.
PlanResponse plan(Cluster copy, Instant now, const RequestPlan& request);

} // namespace stoker
