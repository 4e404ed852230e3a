#include "scheduling/planning/waiting.hpp"

#include <algorithm>

#include "scheduling/master/allowance.hpp"

namespace stoker {

bool wants_more(const ClusterState& state, const Application& app) {
  return state.capacity.is_wanted(app.position().value(), app.needs);
}

int cores_wanted(const ClusterState& state, const Application& app) {
  auto executors = std::int64_t{executors_left(app)};
  auto left = cores_left(state, app);
  // With tenants, more may be asked for than counts yet.
  if (const auto* tenants = state.admission.tenants();
      tenants != nullptr
      && tenants->admitted_request(app.key()).cores < app.requested.cores)
    return static_cast<int>(app.requested.cores) - app.executors.cores();
  // As wide as they can be: of these the number says nothing.
  if (!app.stored.cores_per_executor)
    return executors > 0 ? left : 0;
  auto size = app.executor_size();
  auto cores
      = std::min<std::int64_t>(left / size.cores, executors) * size.cores;
  return static_cast<int>(std::max<std::int64_t>(0, cores));
}

WaitingApplication waiting_info(const ClusterState& state,
                                const Application& app) {
  WaitingApplication result;
  result.id = app.stored.id;
  result.name = app.stored.description.name;
  result.user = app.stored.description.user;
  result.executors = app.executors.count();
  result.cores = app.executors.cores();
  result.cores_wanted = app.position() ? cores_wanted(state, app) : 0;
  return result;
}

QueuesResponse queues(const ClusterState& state, Instant now) {
  QueuesResponse result;
  if (const auto* tenants = state.admission.tenants())
    result.tenants = tenants->view(now);
  const auto& admitted = state.admission.admitted();
  result.admitted_in_all = static_cast<std::int64_t>(admitted.size());
  for (const auto& position : admitted) {
    if (result.admitted.size() == QueuesResponse::admitted_shown_max)
      break;
    result.admitted.push_back(
        waiting_info(state, state.applications.at(position.app)));
  }
  if (!result.tenants)
    return result;
  for (const auto& [key, app] : state.applications.all()) {
    if (app.position() || !app.stored.waits_for.empty())
      continue;
    if (++result.queued_in_all
        <= std::int64_t{QueuesResponse::admitted_shown_max})
      result.queued.push_back(waiting_info(state, app));
  }
  return result;
}

} // namespace stoker
