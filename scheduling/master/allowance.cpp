#include "scheduling/master/allowance.hpp"

#include <algorithm>
#include <limits>

namespace stoker {

namespace {

/// Where there is no limit.
constexpr int no_limit = std::numeric_limits<int>::max();

} // namespace

int cores_max_of(const ClusterState& state, const Application& app) {
  if (app.stored.description.max_cores)
    return *app.stored.description.max_cores;
  if (const auto* tenants = state.admission.tenants())
    return tenants->config().default_request_cores;
  return state.config.default_cores.value_or(no_limit);
}

int cores_left(const ClusterState& state, const Application& app) {
  auto cap = std::int64_t{cores_max_of(state, app)};
  if (const auto* tenants = state.admission.tenants())
    cap = std::min(cap, tenants->admitted_request(app.key()).cores);
  return static_cast<int>(cap) - app.executors.cores();
}

int executors_left(const Application& app) {
  auto left
      = app.stored.executor_limit.value_or(no_limit) - app.executors.count();
  if (app.instances)
    left = std::min(left, app.instances->count_waiting());
  return left;
}

ExecutorDemand demand_of(const ClusterState& state, const Application& app) {
  return {app.stored.cores_per_executor, app.stored.memory_per_executor_mb,
          cores_left(state, app), app.reconnect_due ? 0 : executors_left(app)};
}

bool wants_executor(const ClusterState& state, const Application& app) {
  auto demand = demand_of(state, app);
  return demand.cores_left >= app.executor_size().cores
         && demand.executors_left > 0;
}

} // namespace stoker
