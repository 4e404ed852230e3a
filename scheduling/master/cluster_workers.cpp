// Workers: admission, heartbeats, what they report, how they leave.

#include <algorithm>
#include <cassert>
#include <utility>

#include "scheduling/common/limits.hpp"
#include "scheduling/master/cluster.hpp"

namespace stoker {

namespace {

std::uint32_t number(WorkerKey key) {
  return static_cast<std::uint32_t>(key);
}

} // namespace

// -- events -------------------------------------------------------------------

void Cluster::on(const RegisterWorker& x) {
  if (status_ == RecoveryState::STANDBY)
    return send(x.worker, MasterInStandby{});
  if (x.id.value.empty() || x.cores <= 0 || x.memory_mb <= 0)
    return send(
        x.worker,
        RegisterWorkerFailed{
            "a worker needs an id, at least 1 core and 1 MB of memory"});
  if (auto problem = problem_with_resources(x.resources))
    return send(x.worker, RegisterWorkerFailed{*problem});
  auto known = find_worker(x.id);
  if (known && workers_.at(*known).state != WorkerState::DEAD)
    return reregister_worker(*known, x);
  if (known)
    remove_from_view(*known);
  clear_address(x);
  add_worker(x);
  send(x.worker, RegisteredWorker{config_.master_url, false});
}

void Cluster::on(const Heartbeat& x) {
  auto key = find_worker(x.worker_id);
  if (!key || workers_.at(*key).state == WorkerState::DEAD)
    return send(x.worker, ReconnectWorker{config_.master_url});
  // Deadlines are looked at when they come, so that a heartbeat costs no more
  // than this.
  workers_.at(*key).last_heartbeat = now_;
}

void Cluster::on(const WorkerLatestState& x) {
  reconcile(x.id, x.executors, x.driver_ids);
}

void Cluster::on(const WorkerSchedulerStateResponse& x) {
  reconcile(x.id, x.exec_responses, x.driver_responses);
}

void Cluster::on(const WorkerDecommissioning& x) {
  if (auto key = find_worker(x.id))
    decommission(*key);
}

void Cluster::on(const DecommissionWorkers& x) {
  DecommissionWorkersResponse response;
  for (const auto& id : x.ids) {
    auto key = find_worker(id);
    if (!key || workers_.at(*key).state == WorkerState::DEAD)
      continue;
    decommission(*key);
    response.ids.push_back(id);
  }
  reply(std::move(response));
}

// -- coming -------------------------------------------------------------------

void Cluster::add_worker(const RegisterWorker& x) {
  WorkerKey key{next_worker_++};
  auto& worker = workers_[key];
  worker.id = x.id;
  worker.endpoint = x.worker;
  worker.host = x.host;
  worker.port = x.port;
  worker.cores = x.cores;
  worker.memory_mb = x.memory_mb;
  worker.resources = NamedResources{x.resources};
  worker.last_heartbeat = now_;
  worker.asked = true;
  worker_keys_[x.id] = key;
  worker_endpoints_[x.worker] = key;
  if (x.port != 0)
    worker_addresses_[{x.host, x.port}] = key;
  hosts_[x.host].insert(key);
  index_worker(key);
  touch(key);
  resources_changed_ = true;
  check_worker(key);
}

void Cluster::reregister_worker(WorkerKey key, const RegisterWorker& x) {
  const auto& known = workers_.at(key);
  if (known.cores != x.cores || known.memory_mb != x.memory_mb
      || known.resources.all() != x.resources)
    return send(x.worker,
                RegisterWorkerFailed{
                    to_string(x.id)
                    + " is registered with other cores, memory or resources"});
  forget_endpoint(key);
  worker_endpoints_[x.worker] = key;
  change(key, [&](Worker& worker) {
    worker.endpoint = x.worker;
    worker.last_heartbeat = now_;
    worker.asked_before_work |= std::exchange(worker.asked, true)
                                && worker.state != WorkerState::UNKNOWN;
    // What was on its way to the worker may be lost. Until it has reported,
    // nothing new is started there, so the report cannot be older than a start.
    worker.report_due = now_ + config_.reconnect_timeout;
    if (worker.state != WorkerState::DECOMMISSIONED)
      worker.state = WorkerState::UNKNOWN;
  });
  touch(key);
  check_worker(key);
  // Without any time to report in, it is lost at once, and starts anew.
  if (auto i = workers_.find(key);
      i == workers_.end() || i->second.state == WorkerState::DEAD)
    return on(x);
  // Its answer to either is what it runs.
  if (silent_workers_.contains(key))
    send(x.worker, MasterChanged{config_.master_url});
  else
    send(x.worker, RegisteredWorker{config_.master_url, true});
  // It may never have heard that it is to leave.
  if (workers_.at(key).state == WorkerState::DECOMMISSIONED)
    send(x.worker, DecommissionWorker{});
}

void Cluster::clear_address(const RegisterWorker& x) {
  auto i = worker_addresses_.find({x.host, x.port});
  if (x.port == 0 || i == worker_addresses_.end())
    return;
  // Nobody else can listen where the new worker does: the earlier one is gone,
  // even if its connection has not been seen to break.
  auto key = i->second;
  if (workers_.at(key).state != WorkerState::DEAD)
    lose_worker(key, "a new worker took its address");
  // It may have been shown for long enough already.
  if (workers_.contains(key))
    remove_from_view(key);
}

void Cluster::reconcile(const WorkerId& id,
                        const std::vector<ExecutorDescription>& executors,
                        const std::vector<DriverId>& drivers) {
  auto key = find_worker(id);
  if (!key || workers_.at(*key).state == WorkerState::DEAD)
    return;
  auto& worker = workers_.at(*key);
  auto endpoint = worker.endpoint;
  std::set<ExecutorRef> reported;
  std::set<ExecutorId> still_ending;
  for (const auto& x : executors) {
    if (worker.ending.contains({x.app_id, x.exec_id}))
      still_ending.insert({x.app_id, x.exec_id});
    auto app = find_application(x.app_id);
    if (app && worker.executors.contains({*app, x.exec_id}))
      reported.insert({*app, x.exec_id});
    else
      send(endpoint, KillExecutor{config_.master_url, x.app_id, x.exec_id});
  }
  std::set<DriverKey> reported_drivers;
  for (const auto& driver_id : drivers) {
    auto driver = find_driver(driver_id);
    auto known = driver && worker.drivers.contains(*driver);
    if (known)
      reported_drivers.insert(*driver);
    if (!known || drivers_.at(*driver).kill_requested)
      send(endpoint, KillDriver{driver_id});
  }
  auto was_old = std::exchange(worker.asked_before_work, false);
  worker.asked = false;
  if (!worker.report_due)
    return;
  if (was_old) {
    // It answers the first of two registrations. What the worker was given in
    // between it may have got only after it said this.
    worker.asked = true;
    return send(endpoint, RegisteredWorker{config_.master_url, true});
  }
  auto ended = worker.ending;
  for (const auto& executor : ended)
    if (!still_ending.contains(executor))
      release_held(executor);
  auto lost = worker.executors;
  for (const auto& ref : reported)
    lost.erase(ref);
  for (const auto& ref : lost)
    lose_executor(ref, "the worker came back without it");
  auto lost_drivers = worker.drivers;
  for (auto driver : reported_drivers)
    lost_drivers.erase(driver);
  for (auto driver : lost_drivers)
    lose_driver(driver);
  change(*key, [](Worker& x) {
    if (x.state == WorkerState::UNKNOWN)
      x.state = WorkerState::ALIVE;
    x.report_due.reset();
  });
  answered(*key);
  resources_changed_ = true;
}

// -- going --------------------------------------------------------------------

void Cluster::check_worker(WorkerKey key) {
  auto i = workers_.find(key);
  if (i == workers_.end())
    return;
  auto& worker = i->second;
  if (worker.state == WorkerState::DEAD) {
    auto shown_until
        = worker.last_heartbeat
          + config_.worker_timeout
                * (Duration::rep{1} + config_.dead_worker_persistence);
    if (shown_until <= now_)
      return remove_from_view(key);
    return check_at(shown_until, Due::worker, number(key));
  }
  auto heartbeat_due = worker.last_heartbeat + config_.worker_timeout;
  if (heartbeat_due <= now_)
    return lose_worker(key, "no heartbeat for "
                                + std::to_string(config_.worker_timeout.count())
                                + " ms");
  if (worker.report_due && *worker.report_due <= now_)
    return lose_worker(key, "its connection broke and it did not come back");
  auto due = heartbeat_due;
  if (worker.report_due)
    due = std::min(due, *worker.report_due);
  check_at(due, Due::worker, number(key));
}

void Cluster::lose_worker(WorkerKey key, const std::string& reason) {
  auto& worker = workers_.at(key);
  assert(worker.state != WorkerState::DEAD);
  change(key, [](Worker& x) {
    x.state = WorkerState::DEAD;
    x.report_due.reset();
  });
  record(EraseWorker{worker.id});
  answered(key);
  forget_endpoint(key);
  // As in Spark, a dead worker keeps the figures that it had.
  for (const auto& ref : std::exchange(worker.executors, {}))
    lose_executor(ref, "worker lost: " + reason);
  drop_pending_releases(key);
  for (auto driver : std::exchange(worker.drivers, {}))
    lose_driver(driver);
  for (const auto& [driver, count] : std::exchange(worker.reserved, {})) {
    std::erase_if(drivers_.at(driver).reservations,
                  [&](const Reservation& x) { return x.worker == key; });
    touch(driver);
  }
  for (const auto& [app_key, app] : apps_)
    send(app.driver, WorkerRemoved{worker.id, worker.host, reason});
  check_worker(key);
  resources_changed_ = true;
}

void Cluster::remove_from_view(WorkerKey key) {
  auto i = workers_.find(key);
  assert(i->second.state == WorkerState::DEAD);
  worker_keys_.erase(i->second.id);
  if (auto j = worker_addresses_.find({i->second.host, i->second.port});
      j != worker_addresses_.end() && j->second == key)
    worker_addresses_.erase(j);
  if (auto on_host = hosts_.find(i->second.host); on_host != hosts_.end()) {
    on_host->second.erase(key);
    if (on_host->second.empty())
      hosts_.erase(on_host);
  }
  workers_.erase(i);
}

void Cluster::decommission(WorkerKey key) {
  auto& worker = workers_.at(key);
  if (worker.state != WorkerState::ALIVE
      && worker.state != WorkerState::UNKNOWN)
    return;
  change(key, [](Worker& x) { x.state = WorkerState::DECOMMISSIONED; });
  touch(key);
  answered(key);
  send(worker.endpoint, DecommissionWorker{});
  auto refs = worker.executors;
  for (const auto& ref : refs) {
    auto& app = apps_.at(ref.first);
    // An instance cannot be replaced while it runs: it is let to its end.
    if (app.instances)
      continue;
    worker.executors.erase(ref);
    send(app.driver,
         ExecutorUpdated{ref.second, ExecutorState::DECOMMISSIONED,
                         "worker decommissioned", std::nullopt, worker.host});
    remove_executor(ref.first, ref.second, ExecutorState::DECOMMISSIONED,
                    std::nullopt, "worker decommissioned");
  }
  resources_changed_ = true;
}

void Cluster::forget_endpoint(WorkerKey key) {
  // Another worker may have registered over the same connection since.
  auto i = worker_endpoints_.find(workers_.at(key).endpoint);
  if (i != worker_endpoints_.end() && i->second == key)
    worker_endpoints_.erase(i);
}

std::optional<WorkerKey> Cluster::find_worker(const WorkerId& id) const {
  auto i = worker_keys_.find(id);
  if (i == worker_keys_.end())
    return std::nullopt;
  return i->second;
}

} // namespace stoker
