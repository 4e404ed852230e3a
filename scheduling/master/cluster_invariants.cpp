// The books, added up again.

#include "scheduling/master/cluster.hpp"

namespace stoker {

std::optional<std::string> Cluster::invariant_violation() const {
  std::map<WorkerKey, FreeResources> used;
  std::size_t admitted = 0;
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
    auto waiting = app.turn && cores_left(app) >= app.executor_size().cores
                   && executors_left(app) > 0;
    admitted += app.turn ? 1 : 0;
    if (app.turn && !admitted_.contains(*app.turn))
      return to_string(app.id) + " is not among those that were admitted";
    if (app.turn && waiting != wants_more(app))
      return to_string(app.id) + " is wrong among those that want more";
  }
  if (admitted != admitted_.size())
    return "somebody is among those that were admitted who was not";
  int running_drivers = 0;
  for (const auto& [key, driver] : drivers_) {
    for (const auto& x : driver.reservations) {
      used[x.worker].cores += driver.description.executors->cores;
      used[x.worker].memory_mb += driver.description.executors->memory_mb;
      if (!driver.worker || !workers_.at(x.worker).reserved.contains(key))
        return to_string(driver.id) + " has reserved what no worker knows";
    }
    if (!driver.worker)
      continue;
    ++running_drivers;
    if (!workers_.at(*driver.worker).drivers.contains(key))
      return to_string(driver.id) + " is not known to its worker";
    used[*driver.worker].cores += driver.description.cores;
    used[*driver.worker].memory_mb += driver.description.memory_mb;
  }
  for (const auto& [id, ending] : pending_releases_) {
    if (!workers_.at(ending.worker).ending.contains(id))
      return to_string(id) + " ends where its worker does not know it";
    used[ending.worker].cores += ending.cores;
    used[ending.worker].memory_mb += ending.memory_mb;
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
    auto indexed = pool_.capacity().find(static_cast<std::uint32_t>(key));
    auto expected
        = worker.state == WorkerState::ALIVE && worker.cores_free() > 0;
    if (indexed.has_value() != expected
        || (indexed
            && indexed->free
                   != ExecutorSize{worker.cores_free(),
                                   worker.memory_free_mb()}))
      return name + " is wrong in the index of what is free";
    with_free_cores += indexed ? 1 : 0;
  }
  if (auto problem = named_violation())
    return problem;
  if (auto problem = tenants_ ? tenants_->invariant_violation() : std::nullopt)
    return problem;
  if (running_drivers != running_drivers_)
    return "the number of running drivers is wrong";
  if (with_free_cores != pool_.capacity().size())
    return "the index of what is free has stale entries";
  if (!checks_.empty()
      && (!armed_for_ || *armed_for_ > std::get<Instant>(*checks_.begin())))
    return "no wake-up is pending for the earliest deadline";
  return std::nullopt;
}

bool Cluster::wants_more(const Application& app) const {
  const auto& named = app.description.resources_per_executor;
  if (named.empty())
    return pool_.waiting().contains(*app.turn);
  return named_pools_.at(named.begin()->first).waiting().contains(*app.turn);
}

std::optional<std::string> Cluster::named_violation() const {
  // Each address that is in use has one holder, and the other way round.
  std::map<WorkerKey, std::map<std::string, std::set<std::string>>> held;
  auto hold = [&](WorkerKey worker, const ResourceAddresses& resources) {
    for (const auto& [name, addresses] : resources)
      for (const auto& address : addresses)
        if (!held[worker][name].insert(address).second)
          return false;
    return true;
  };
  auto exclusive = true;
  for (const auto& [key, app] : apps_)
    for (const auto& [id, executor] : app.executors)
      exclusive = hold(executor.worker, executor.resources) && exclusive;
  for (const auto& [key, driver] : drivers_) {
    if (driver.worker)
      exclusive = hold(*driver.worker, driver.resources) && exclusive;
    for (const auto& x : driver.reservations)
      exclusive = hold(x.worker, x.resources) && exclusive;
  }
  for (const auto& [id, ending] : pending_releases_)
    exclusive = hold(ending.worker, ending.resources) && exclusive;
  if (!exclusive)
    return "an address was given twice";
  for (const auto& [key, worker] : workers_) {
    if (worker.state != WorkerState::ALIVE
        && worker.state != WorkerState::UNKNOWN)
      continue;
    for (const auto& [name, addresses] : worker.resources.used())
      if (held[key][name]
          != std::set<std::string>{addresses.begin(), addresses.end()})
        return to_string(worker.id) + " has wrong figures of " + name;
  }
  return std::nullopt;
}

} // namespace stoker
