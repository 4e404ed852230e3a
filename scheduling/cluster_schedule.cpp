// One scheduling pass (document 000, section 6; FORMAT A.1).

#include <limits>

#include "scheduling/cluster.hpp"

namespace stoker {

void Cluster::schedule() {
  schedule_drivers();
  // A copy: an application that is satisfied leaves the set.
  std::vector<AppKey> in_order{hungry_.begin(), hungry_.end()};
  for (auto key : in_order) {
    if (by_free_cores_.empty())
      return;
    schedule_application(key);
  }
}

void Cluster::schedule_drivers() {
  if (waiting_drivers_.empty())
    return;
  std::vector<WorkerKey> workers;
  for (const auto& [free, key] : by_free_cores_)
    workers.push_back(key);
  random_.shuffle(workers);
  std::size_t position = 0;
  std::deque<DriverKey> still_waiting;
  for (auto driver : waiting_drivers_) {
    const auto& wanted = drivers_.at(driver).description;
    auto launched = false;
    for (std::size_t visited = 0; visited < workers.size() && !launched;
         ++visited) {
      auto key = workers[position];
      position = (position + 1) % workers.size();
      const auto& worker = workers_.at(key);
      if (worker.cores_free() >= wanted.cores
          && worker.memory_free_mb() >= wanted.memory_mb) {
        launch_driver(driver, key);
        launched = true;
      }
    }
    if (!launched)
      still_waiting.push_back(driver);
  }
  waiting_drivers_ = std::move(still_waiting);
}

void Cluster::schedule_application(AppKey key) {
  const auto& app = apps_.at(key);
  ExecutorDemand demand{app.description.cores_per_executor,
                        app.description.memory_per_executor_mb, cores_left(app),
                        executors_left(app)};
  auto enough = static_cast<std::size_t>(workers_needed(demand));
  std::vector<WorkerKey> usable;
  std::vector<FreeResources> free;
  for (const auto& [free_cores, worker_key] : by_free_cores_) {
    // The rest has fewer cores still.
    if (free_cores < demand.cores_min() || usable.size() == enough)
      break;
    const auto& worker = workers_.at(worker_key);
    if (worker.memory_free_mb() < demand.memory_per_executor_mb)
      continue;
    usable.push_back(worker_key);
    free.push_back({free_cores, worker.memory_free_mb()});
  }
  auto assigned = assign_cores(demand, free, config_.spread_out);
  for (std::size_t i = 0; i < usable.size(); ++i) {
    if (assigned[i] == 0)
      continue;
    auto count = executors_in(demand, assigned[i]);
    for (int n = 0; n < count; ++n)
      launch_executor(key, usable[i], assigned[i] / count);
  }
  update_demand(key);
}

} // namespace stoker
