// The books, added up again.

#include "scheduling/cluster.hpp"

namespace stoker {

std::optional<std::string> Cluster::invariant_violation() const {
  std::map<WorkerKey, FreeResources> used;
  for (const auto& [key, app] : apps_) {
    int granted = 0;
    for (const auto& [id, executor] : app.executors) {
      auto name = to_string(ExecutorId{app.id, id});
      granted += executor.cores;
      auto worker = workers_.find(executor.worker);
      if (worker == workers_.end())
        return name + " is on a worker that is not known";
      if (!worker->second.executors.contains({key, id}))
        return name + " is not known to its worker";
      used[executor.worker].cores += executor.cores;
      used[executor.worker].memory_mb += executor.memory_mb;
    }
    if (granted != app.cores_granted)
      return to_string(app.id) + " has wrong figures";
    if (app.description.max_cores && granted > *app.description.max_cores)
      return to_string(app.id) + " has more cores than it may";
    auto hungry
        = cores_left(app) >= app.description.cores_per_executor.value_or(1)
          && executors_left(app) > 0;
    if (hungry != hungry_.contains(key))
      return to_string(app.id) + " is wrong among those that want more";
  }
  for (const auto& [key, driver] : drivers_) {
    if (!driver.worker)
      continue;
    if (!workers_.at(*driver.worker).drivers.contains(key))
      return to_string(driver.id) + " is not known to its worker";
    used[*driver.worker].cores += driver.description.cores;
    used[*driver.worker].memory_mb += driver.description.memory_mb;
  }
  std::size_t with_free_cores = 0;
  for (const auto& [key, worker] : workers_) {
    auto name = to_string(worker.id);
    if (worker.cores_used < 0 || worker.memory_used_mb < 0)
      return name + " has negative figures";
    if (worker.cores_free() < 0 || worker.memory_free_mb() < 0)
      return name + " gives more than it has";
    for (const auto& [app, id] : worker.executors)
      if (!apps_.contains(app) || !apps_.at(app).executors.contains(id))
        return name + " has an executor that no application knows";
    if (worker.state == WorkerState::DEAD
        && !(worker.executors.empty() && worker.drivers.empty()))
      return name + " is DEAD and runs something";
    // DEAD and DECOMMISSIONED ones keep figures of what has left the books.
    auto exact = worker.state == WorkerState::ALIVE
                 || worker.state == WorkerState::UNKNOWN;
    if (exact
        && (used[key].cores != worker.cores_used
            || used[key].memory_mb != worker.memory_used_mb))
      return name + " has wrong figures";
    auto indexed = capacity_.find(static_cast<std::uint32_t>(key));
    auto expected
        = worker.state == WorkerState::ALIVE && worker.cores_free() > 0;
    if (indexed.has_value() != expected
        || (indexed
            && (indexed->cores != worker.cores_free()
                || indexed->memory_mb != worker.memory_free_mb())))
      return name + " is wrong in the index of what is free";
    with_free_cores += indexed ? 1 : 0;
  }
  if (with_free_cores != capacity_.size())
    return "the index of what is free has stale entries";
  if (!checks_.empty()
      && (!armed_for_ || *armed_for_ > std::get<Instant>(*checks_.begin())))
    return "no wake-up is pending for the earliest deadline";
  return std::nullopt;
}

} // namespace stoker
