#include "scheduling/master/change_set.hpp"

#include <utility>
#include <variant>

#include "scheduling/master/cluster_state.hpp"

namespace stoker {

StoredWorker record_of(const Worker& worker) {
  auto result = worker.stored;
  if (result.state == WorkerState::UNKNOWN)
    result.state = WorkerState::ALIVE;
  return result;
}

StoredApplication record_of(const Application& app,
                            const Admission& admission) {
  auto result = app.stored;
  const auto* tenants = admission.tenants();
  result.requested = app.position() && tenants != nullptr
                         ? tenants->admitted_request(app.key())
                         : app.requested;
  result.next_exec_id = app.executors.next_id();
  result.preferred_hosts = app.executors.preferred_hosts();
  result.ends = app.ended_executors.count_ever();
  if (app.instances)
    result.instances_done = app.instances->count_done();
  return result;
}

StoredDriver record_of(const ClusterState& state, DriverKey key) {
  auto result = state.drivers.at(key).stored;
  const auto* tenants = state.admission.tenants();
  result.requested
      = tenants != nullptr ? tenants->admitted_request(key) : Resources{};
  if (const auto* kept = state.reservations.find(key))
    for (const auto& x : kept->places)
      result.reservations.push_back(
          {state.workers.at(x.worker).stored.id, x.resources});
  return result;
}

void ChangeSet::record(Change change) {
  if (durable_)
    recorded_.push_back(std::move(change));
}

Changes ChangeSet::finish(const ClusterState& state, TenantChanges tenants) && {
  if (!durable_)
    return {};
  auto result = std::move(recorded_);
  if (counters_)
    result.push_back(StoredCounters{state.applications.count_ever(),
                                    state.drivers.count_ever()});
  for (auto key : workers_)
    if (state.workers.contains(key)
        && state.workers.at(key).stored.state != WorkerState::DEAD)
      result.push_back(record_of(state.workers.at(key)));
  for (auto key : apps_)
    if (state.applications.contains(key))
      result.push_back(record_of(state.applications.at(key), state.admission));
  for (auto [key, index] : instances_)
    if (state.applications.contains(key)) {
      const auto& app = state.applications.at(key);
      result.push_back(StoredInstance{app.stored.id, index,
                                      app.instances->is_done(index),
                                      app.instances->failures(index)});
    }
  for (auto [key, exec_id] : executors_) {
    if (!state.applications.contains(key))
      continue;
    const auto* executor = state.applications.at(key).executors.find(exec_id);
    if (executor != nullptr)
      result.push_back(executor->stored);
  }
  for (auto key : drivers_)
    if (state.drivers.contains(key))
      result.push_back(record_of(state, key));
  for (auto& tenant : tenants)
    std::visit([&](auto& x) { result.push_back(std::move(x)); }, tenant);
  return result;
}

} // namespace stoker
