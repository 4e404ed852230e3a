#pragma once

#include "messages/planning.hpp"
#include "messages/result.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/master/cluster.hpp"
#include "scheduling/planning/rehearsal.hpp"

namespace stoker {

/// So many workers can be thought of at once.
inline constexpr int new_workers_max = 100'000;

/// What is wrong with the question, whatever the cluster has and runs:
/// Errc::invalid_request.
[[nodiscard]] Status check_plan(const RequestPlan& request);

/// What would happen if: steps a copy of the cluster.
/// Workers, applications and drivers that are only thought of are named `new-worker-1`
/// and, by their names or else, `new-app-1`, `new-driver-1`, and so on.
/// A problem, and nothing else, where too many executors would be started, or it is to stop.
PlanResponse plan(Cluster copy, Instant now, const RequestPlan& request,
                  const IsToStop& is_to_stop = {});

/// The answer to one whose time is up.
PlanResponse plan_that_took_too_long();

} // namespace stoker
