#include "scheduling/master/allowance.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace stoker {

namespace {

/// Where there is no limit.
constexpr int no_limit = std::numeric_limits<int>::max();

} // namespace

int cores_max_of(const ClusterState& state,
                 const ApplicationDescription& description) {
  if (description.max_cores)
    return *description.max_cores;
  if (const auto* tenants = state.admission.tenants())
    return tenants->config().default_request_cores;
  return state.config.default_cores.value_or(no_limit);
}

int cores_max_of(const ClusterState& state, const Application& app) {
  return cores_max_of(state, app.stored.description);
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

int gang_of(const Application& app) {
  auto result = app.stored.gang.value_or(1);
  // What is not wanted, or has ended well, is not waited for.
  result = std::min(result, app.stored.executor_limit.value_or(no_limit));
  if (app.instances)
    result = std::min(result,
                      app.instances->count() - app.instances->count_done());
  return result;
}

int executors_at_once(const Application& app) {
  return std::max(1, gang_of(app) - app.executors.count());
}

ExecutorDemand demand_of(const ClusterState& state, const Application& app) {
  const auto* tenants = state.admission.tenants();
  auto is_served
      = tenants == nullptr || tenants->is_served(app.stored.description.user);
  return {app.stored.cores_per_executor, app.stored.memory_per_executor_mb,
          cores_left(state, app),
          app.reconnect_due || !is_served ? 0 : executors_left(app),
          executors_at_once(app)};
}

bool wants_executor(const ClusterState& state, const Application& app) {
  auto demand = demand_of(state, app);
  return demand.cores_left
             >= std::int64_t{demand.at_once} * app.executor_size().cores
         && demand.executors_left >= demand.at_once;
}

} // namespace stoker
