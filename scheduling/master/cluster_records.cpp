// What of the books is stored: which step changes what.

#include <algorithm>
#include <utility>
#include <variant>

#include "scheduling/master/cluster.hpp"

namespace stoker {

namespace {

std::optional<std::int64_t> to_ms(const std::optional<Instant>& x) {
  return x ? std::optional{stoker::to_ms(*x)} : std::nullopt;
}

} // namespace

// -- what has changed ---------------------------------------------------------

void Cluster::touch(WorkerKey key) {
  if (config_.durable)
    touched_.workers.insert(key);
}

void Cluster::touch(AppKey key) {
  if (config_.durable)
    touched_.apps.insert(key);
}

void Cluster::touch(AppKey key, int exec_id) {
  if (config_.durable)
    touched_.executors.insert({key, exec_id});
}

void Cluster::touch(DriverKey key) {
  if (config_.durable)
    touched_.drivers.insert(key);
}

void Cluster::record(Change change) {
  if (config_.durable)
    touched_.changes.push_back(std::move(change));
}

void Cluster::persist() {
  // Taken in any case, so that they do not pile up.
  auto tenants = tenants_ ? tenants_->take_changes() : TenantChanges{};
  if (!config_.durable)
    return;
  auto touched = std::exchange(touched_, {});
  auto& changes = touched.changes;
  if (touched.counters)
    changes.push_back(StoredCounters{next_app_, next_driver_});
  for (auto key : touched.workers)
    if (auto i = workers_.find(key);
        i != workers_.end() && i->second.state != WorkerState::DEAD)
      changes.push_back(stored(key, i->second));
  for (auto key : touched.apps)
    if (auto i = apps_.find(key); i != apps_.end())
      changes.push_back(stored(key, i->second));
  for (auto [key, exec_id] : touched.executors) {
    auto app = apps_.find(key);
    if (app == apps_.end())
      continue;
    auto executor = app->second.executors.find(exec_id);
    if (executor != app->second.executors.end())
      changes.push_back(stored(app->second, executor->second));
  }
  for (auto key : touched.drivers)
    if (auto i = drivers_.find(key); i != drivers_.end())
      changes.push_back(stored(key, i->second));
  for (auto& tenant : tenants)
    std::visit([&](auto& x) { changes.push_back(std::move(x)); }, tenant);
  if (!changes.empty())
    out_.insert(out_.begin(), Persist{std::move(changes)});
}

// -- records ------------------------------------------------------------------

void Cluster::record_end(AppKey key) {
  if (!config_.durable)
    return;
  const auto& app = apps_.at(key);
  record(stored(key, app));
  record(EraseExecutorsOf{app.id});
  for (auto i = pending_releases_.lower_bound({app.id, 0});
       i != pending_releases_.end() && i->first.app_id == app.id; ++i)
    record(stored(i->first, i->second));
}

void Cluster::record_end(const ExecutorId& id) {
  if (!config_.durable)
    return;
  if (auto app = find_application(id.app_id)) {
    const auto& ended = apps_.at(*app).ended_executors;
    // It ended not long ago.
    auto i = std::find_if(ended.rbegin(), ended.rend(), [&](const auto& x) {
      return x.exec_id == id.exec_id;
    });
    if (i != ended.rend())
      return record(stored(*i));
  }
  record(EraseExecutor{id});
}

StoredWorker Cluster::stored(WorkerKey key, const Worker& worker) {
  // Until it has reported again it is as it was.
  auto state = worker.state == WorkerState::UNKNOWN ? WorkerState::ALIVE
                                                    : worker.state;
  return {static_cast<std::uint32_t>(key),
          worker.id,
          worker.endpoint,
          worker.host,
          worker.port,
          worker.cores,
          worker.memory_mb,
          worker.resources.all(),
          state};
}

StoredApplication Cluster::stored(AppKey key, const Application& app) const {
  StoredApplication result;
  result.number = static_cast<std::uint32_t>(key);
  result.id = app.id;
  result.driver = app.driver;
  result.description = app.description;
  result.state = app.state;
  result.submitted_ms = stoker::to_ms(app.submitted);
  result.started_ms = to_ms(app.started);
  result.ended_ms = to_ms(app.ended);
  result.message = app.message;
  result.cores_per_executor = app.cores_per_executor;
  result.memory_per_executor_mb = app.memory_per_executor_mb;
  if (app.turn)
    result.turn = app.turn->position;
  result.requested
      = app.turn && tenants_ ? tenants_->admitted_request(key) : app.requested;
  result.executor_limit = app.executor_limit;
  result.next_exec_id = app.next_exec_id;
  result.failures_in_a_row = app.failures_in_a_row;
  result.preferred_hosts = app.preferred_hosts;
  if (app.instances) {
    result.instances_done.assign(app.instances->done.begin(),
                                 app.instances->done.end());
    result.instance_failures = app.instances->failures;
  }
  return result;
}

StoredExecutor Cluster::stored(const Application& app,
                               const Executor& executor) const {
  auto result = stored(info(app, executor));
  result.running_since_ms = to_ms(executor.running_since);
  return result;
}

StoredExecutor Cluster::stored(const ExecutorInfo& x) {
  StoredExecutor result;
  result.app_id = x.app_id;
  result.exec_id = x.exec_id;
  result.worker_id = x.worker_id;
  result.host = x.host;
  result.cores = x.cores;
  result.memory_mb = x.memory_mb;
  result.state = x.state;
  result.index = x.index;
  result.resources = x.resources;
  result.launched_ms = x.launched_ms;
  result.ended_ms = x.ended_ms;
  result.exit_status = x.exit_status;
  result.message = x.message;
  return result;
}

StoredExecutor Cluster::stored(const ExecutorId& id,
                               const PendingRelease& ending) const {
  StoredExecutor result;
  result.app_id = id.app_id;
  result.exec_id = id.exec_id;
  const auto& worker = workers_.at(ending.worker);
  result.worker_id = worker.id;
  result.host = worker.host;
  result.cores = ending.cores;
  result.memory_mb = ending.memory_mb;
  result.state = ExecutorState::KILLED;
  result.resources = ending.resources;
  if (ending.index)
    result.index = ending.index->second;
  result.ending = true;
  return result;
}

StoredDriver Cluster::stored(DriverKey key, const Driver& driver) const {
  StoredDriver result;
  result.number = static_cast<std::uint32_t>(key);
  result.id = driver.id;
  result.description = driver.description;
  result.state = driver.state;
  result.worker_id = driver.worker_id;
  result.host = driver.host;
  result.resources = driver.resources;
  for (const auto& x : driver.reservations)
    result.reservations.push_back({workers_.at(x.worker).id, x.resources});
  result.kill_requested = driver.kill_requested;
  result.exit_status = driver.exit_status;
  result.message = driver.message;
  result.relaunched_as = driver.relaunched_as;
  result.submitted_ms = stoker::to_ms(driver.submitted);
  result.ended_ms = to_ms(driver.ended);
  return result;
}

} // namespace stoker
