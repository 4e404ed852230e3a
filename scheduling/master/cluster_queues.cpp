// The order in which applications are served, for people.

#include "scheduling/master/cluster.hpp"

namespace stoker {

WaitingApplication Cluster::waiting_info(const Application& app) const {
  WaitingApplication result;
  result.id = app.id;
  result.name = app.description.name;
  result.user = app.description.user;
  result.executors = static_cast<int>(app.executors.size());
  result.cores = app.cores_granted;
  result.cores_wanted = app.turn ? cores_wanted(app) : 0;
  return result;
}

int Cluster::cores_wanted(const Application& app) const {
  auto size = app.executor_size();
  auto executors = std::int64_t{executors_left(app)};
  // As wide as they can be: of these the number says nothing.
  if (!app.cores_per_executor)
    return executors > 0 ? cores_left(app) : 0;
  auto cores = std::min<std::int64_t>(cores_left(app) / size.cores, executors)
               * size.cores;
  return static_cast<int>(std::max<std::int64_t>(0, cores));
}

QueuesResponse Cluster::queues(Instant now) const {
  QueuesResponse result;
  if (tenants_)
    result.tenants = tenants_->view(now);
  result.admitted_in_all = static_cast<std::int64_t>(admitted_.size());
  for (const auto& turn : admitted_) {
    if (result.admitted.size() == QueuesResponse::admitted_shown_max)
      break;
    result.admitted.push_back(waiting_info(apps_.at(turn.app)));
  }
  return result;
}

} // namespace stoker
