// A new leader: takes over what is stored, and waits for those who were there.

#include <algorithm>
#include <utility>

#include "scheduling/master/cluster.hpp"

namespace stoker {

namespace {

Instant instant(std::int64_t ms) {
  return Instant{Duration{ms}};
}

std::optional<Instant> instant(const std::optional<std::int64_t>& ms) {
  return ms ? std::optional{instant(*ms)} : std::nullopt;
}

ExecutorInfo info_of(const StoredExecutor& x) {
  ExecutorInfo result;
  result.app_id = x.app_id;
  result.exec_id = x.exec_id;
  result.index = x.index;
  result.worker_id = x.worker_id;
  result.host = x.host;
  result.cores = x.cores;
  result.memory_mb = x.memory_mb;
  result.state = x.state;
  result.exit_status = x.exit_status;
  result.message = x.message;
  result.launched_ms = x.launched_ms;
  result.ended_ms = x.ended_ms;
  result.resources = x.resources;
  return result;
}

/// Records in the order in which they ended, those that have not first.
template <class Record>
std::vector<const Record*> by_end(const std::vector<Record>& records) {
  std::vector<const Record*> result;
  result.reserve(records.size());
  for (const auto& x : records)
    result.push_back(&x);
  std::stable_sort(result.begin(), result.end(),
                   [](const auto* a, const auto* b) {
                     return a->ended_ms.value_or(0) < b->ended_ms.value_or(0);
                   });
  return result;
}

} // namespace

// -- events -------------------------------------------------------------------

void Cluster::on(const ElectedLeader& x) {
  // Heard twice, it is the same leadership.
  if (status_ != RecoveryState::STANDBY)
    return;
  epoch_ = x.epoch;
  status_ = RecoveryState::RECOVERING;
  record(config_);
  restore(x.stored);
  await_answers();
}

void Cluster::await_answers() {
  if (silent_workers_.empty() && silent_apps_.empty())
    return;
  for (auto key : silent_workers_)
    send(workers_.at(key).endpoint, MasterChanged{config_.master_url});
  for (auto key : silent_apps_)
    send(apps_.at(key).driver, MasterChanged{config_.master_url});
  recovery_due_ = now_ + config_.recovery_timeout;
  check_at(recovery_due_, Due::recovery, 0);
}

void Cluster::answered(WorkerKey key) {
  silent_workers_.erase(key);
}

void Cluster::answered(AppKey key) {
  silent_apps_.erase(key);
}

void Cluster::finish_recovery() {
  if (status_ != RecoveryState::RECOVERING)
    return;
  auto all_answered = silent_workers_.empty() && silent_apps_.empty();
  if (!all_answered && now_ < recovery_due_)
    return;
  // Those who are late have as long as after any broken connection.
  silent_workers_.clear();
  silent_apps_.clear();
  status_ = RecoveryState::ALIVE;
  resources_changed_ = true;
  for (auto turn : admitted_)
    claim_reservations(turn.app);
}

// -- what is stored -----------------------------------------------------------

void Cluster::restore(const StoredState& stored) {
  next_app_ = stored.counters.applications;
  next_driver_ = stored.counters.drivers;
  for (const auto& x : stored.workers)
    restore_worker(x);
  for (const auto& x : stored.applications)
    if (!is_finished(x.state))
      restore_application(x);
  for (const auto* x : by_end(stored.applications))
    if (is_finished(x->state))
      restore_ended(*x);
  for (const auto* x : by_end(stored.executors))
    if (x->ended_ms || x->ending)
      restore_ending(*x);
    else
      restore_executor(*x);
  for (const auto& x : stored.drivers)
    if (!x.ended_ms)
      restore_driver(x);
  for (const auto* x : by_end(stored.drivers))
    if (x->ended_ms)
      restore_driver(*x);
  restore_queues(stored);
  check_restored();
}

void Cluster::check_restored() {
  // Only now: whose time has run out meanwhile is removed with all it has.
  std::vector<WorkerKey> workers;
  for (const auto& [key, worker] : workers_)
    workers.push_back(key);
  for (auto key : workers)
    check_worker(key);
  std::vector<AppKey> apps;
  for (const auto& [key, app] : apps_)
    apps.push_back(key);
  for (auto key : apps)
    check_application(key);
}

void Cluster::restore_worker(const StoredWorker& x) {
  WorkerKey key{x.number};
  if (workers_.contains(key) || worker_keys_.contains(x.id)
      || problem_with_resources(x.resources))
    return;
  next_worker_ = std::max(next_worker_, x.number + 1);
  auto& worker = workers_[key];
  worker.id = x.id;
  worker.endpoint = x.endpoint;
  worker.host = x.host;
  worker.port = x.port;
  worker.cores = x.cores;
  worker.memory_mb = x.memory_mb;
  worker.resources = NamedResources{x.resources};
  worker.state = x.state == WorkerState::DECOMMISSIONED
                     ? WorkerState::DECOMMISSIONED
                     : WorkerState::UNKNOWN;
  worker.last_heartbeat = now_;
  worker.report_due = now_ + config_.reconnect_timeout;
  worker_keys_[x.id] = key;
  worker_endpoints_[x.endpoint] = key;
  if (x.port != 0)
    worker_addresses_[{x.host, x.port}] = key;
  hosts_[x.host].insert(key);
  index_worker(key);
  if (worker.state == WorkerState::UNKNOWN)
    silent_workers_.insert(key);
}

bool Cluster::hold(WorkerKey key, ExecutorSize size,
                   const ResourceAddresses& resources) {
  const auto& worker = workers_.at(key);
  if (worker.cores_free() < size.cores
      || worker.memory_free_mb() < size.memory_mb)
    return false;
  auto held = true;
  change(key, [&](Worker& x) {
    held = x.resources.take(resources);
    if (!held)
      return;
    x.cores_used += size.cores;
    x.memory_used_mb += size.memory_mb;
  });
  return held;
}

// -- applications -------------------------------------------------------------

void Cluster::restore_application(const StoredApplication& x) {
  AppKey key{x.number};
  if (apps_.contains(key) || app_keys_.contains(x.id))
    return;
  next_app_ = std::max(next_app_, x.number + 1);
  auto& app = apps_[key];
  app.id = x.id;
  app.driver = x.driver;
  app.description = x.description;
  app.state = x.state;
  app.submitted = instant(x.submitted_ms);
  app.started = instant(x.started_ms);
  app.cores_per_executor = x.cores_per_executor;
  app.memory_per_executor_mb = x.memory_per_executor_mb;
  app.executor_limit = x.executor_limit;
  app.next_exec_id = x.next_exec_id;
  app.failures_in_a_row = x.failures_in_a_row;
  app.preferred_hosts = x.preferred_hosts;
  if (x.description.instances) {
    auto& book = app.instances.emplace(*x.description.instances);
    for (auto index : x.instances_done)
      if (book.waiting.erase(index) > 0)
        book.done.insert(index);
    if (x.instance_failures.size() == book.failures.size())
      book.failures = x.instance_failures;
  }
  app_keys_[x.id] = key;
  app_endpoints_[x.driver] = key;
  app.reconnect_due = now_ + config_.reconnect_timeout;
  silent_apps_.insert(key);
}

void Cluster::restore_ended(const StoredApplication& x) {
  Application app;
  app.id = x.id;
  app.description = x.description;
  app.state = x.state;
  app.submitted = instant(x.submitted_ms);
  app.ended = instant(x.ended_ms);
  app.message = x.message;
  app.cores_per_executor = x.cores_per_executor;
  app.memory_per_executor_mb = x.memory_per_executor_mb;
  app.executor_limit = x.executor_limit;
  completed_apps_.push_back(info(app));
}

void Cluster::restore_executor(const StoredExecutor& x) {
  auto app_key = find_application(x.app_id);
  auto worker_key = find_worker(x.worker_id);
  if (!app_key || !worker_key)
    return;
  auto& app = apps_.at(*app_key);
  if (app.executors.contains(x.exec_id)
      || app.instances.has_value() != x.index.has_value()
      || (x.index && !app.instances->waiting.contains(*x.index))
      || !hold(*worker_key, {x.cores, x.memory_mb}, x.resources))
    return;
  auto& executor = app.executors[x.exec_id];
  executor.exec_id = x.exec_id;
  executor.worker = *worker_key;
  executor.cores = x.cores;
  executor.memory_mb = x.memory_mb;
  executor.state = x.state;
  executor.index = x.index;
  executor.resources = x.resources;
  executor.launched = instant(x.launched_ms);
  executor.running_since = instant(x.running_since_ms);
  if (x.index)
    app.instances->waiting.erase(*x.index);
  app.next_exec_id = std::max(app.next_exec_id, x.exec_id + 1);
  app.cores_granted += x.cores;
  app.workers.insert(*worker_key);
  workers_.at(*worker_key).executors.insert({*app_key, x.exec_id});
}

void Cluster::restore_ending(const StoredExecutor& x) {
  auto app = find_application(x.app_id);
  auto worker = find_worker(x.worker_id);
  if (app && x.ended_ms)
    apps_.at(*app).ended_executors.push_back(info_of(x));
  if (app && worker)
    apps_.at(*app).workers.insert(*worker);
  if (!x.ending || !worker
      || !hold(*worker, {x.cores, x.memory_mb}, x.resources))
    return;
  PendingRelease ending{*worker, x.cores, x.memory_mb, x.resources,
                        std::nullopt};
  if (app && x.index && apps_.at(*app).instances) {
    ending.index = {*app, *x.index};
    apps_.at(*app).instances->waiting.erase(*x.index);
  }
  ExecutorId id{x.app_id, x.exec_id};
  workers_.at(*worker).ending.insert(id);
  pending_releases_.emplace(std::move(id), std::move(ending));
}

void Cluster::restore_queues(const StoredState& stored) {
  // Those that were admitted, in the same order; then those that wait.
  std::vector<std::pair<std::uint64_t, AppKey>> admitted;
  std::vector<const StoredApplication*> waiting;
  for (const auto& x : stored.applications)
    if (!apps_.contains(AppKey{x.number}) || is_finished(x.state))
      continue;
    else if (x.turn)
      admitted.emplace_back(*x.turn, AppKey{x.number});
    else
      waiting.push_back(&x);
  std::sort(admitted.begin(), admitted.end());
  std::map<AppKey, const StoredApplication*> records;
  for (const auto& x : stored.applications)
    records[AppKey{x.number}] = &x;
  auto entry = [&](const StoredApplication& x, Resources request) {
    return TenantTree::Entry{x.description.user, request,
                             x.description.priority, x.description.sql};
  };
  for (auto [position, key] : admitted) {
    auto& app = apps_.at(key);
    app.turn = QueuePosition{position, key};
    next_position_ = std::max(next_position_, position + 1);
    admitted_.insert(*app.turn);
    if (!tenants_)
      continue;
    auto request = records.at(key)->requested;
    tenants_->adopt(now_, key, entry(*records.at(key), request));
    app.requested = tenants_->admitted_request(key);
  }
  for (const auto* x : waiting) {
    AppKey key{x->number};
    auto& app = apps_.at(key);
    if (!tenants_) {
      admit(key);
      continue;
    }
    // Not what it would ask for now: how large its executors would be is not
    // known before the workers are back.
    app.requested = x->requested;
    if (!tenants_->refusal(x->description.user, app.requested)) {
      tenants_->add(now_, key, entry(*x, app.requested));
    } else {
      // The rules have changed since it was taken: it keeps its place.
      tenants_->adopt(now_, key, entry(*x, app.requested));
      app.requested = tenants_->admitted_request(key);
      admit(key);
    }
  }
  if (tenants_)
    tenants_->restore(now_, stored.companies, stored.users);
  for (auto& [key, app] : apps_) {
    prefer_hosts(app, std::exchange(app.preferred_hosts, {}));
    update_demand(key);
  }
}

// -- drivers ------------------------------------------------------------------

void Cluster::restore_driver(const StoredDriver& x) {
  DriverKey key{x.number};
  if (drivers_.contains(key) || driver_keys_.contains(x.id))
    return;
  next_driver_ = std::max(next_driver_, x.number + 1);
  auto& driver = drivers_[key];
  driver.id = x.id;
  driver.description = x.description;
  driver.state = x.state;
  driver.worker_id = x.worker_id;
  driver.host = x.host;
  driver.kill_requested = x.kill_requested;
  driver.exit_status = x.exit_status;
  driver.message = x.message;
  driver.relaunched_as = x.relaunched_as;
  driver.submitted = instant(x.submitted_ms);
  driver.ended = instant(x.ended_ms);
  driver.resources = x.resources;
  driver_keys_[x.id] = key;
  if (x.ended_ms) {
    completed_drivers_.push_back(key);
    return;
  }
  auto worker = x.worker_id ? find_worker(*x.worker_id) : std::nullopt;
  if (!worker
      || !hold(*worker, {x.description.cores, x.description.memory_mb},
               x.resources)) {
    driver.resources.clear();
    waiting_drivers_.push_back(key);
    return;
  }
  driver.worker = *worker;
  workers_.at(*worker).drivers.insert(key);
  ++running_drivers_;
  restore_reservations(key, x);
}

void Cluster::restore_reservations(DriverKey key, const StoredDriver& x) {
  if (!x.description.executors || x.reservations.empty())
    return;
  auto& driver = drivers_.at(key);
  const auto& wanted = *x.description.executors;
  for (const auto& y : x.reservations) {
    auto worker = find_worker(y.worker_id);
    if (!worker
        || !hold(*worker, {wanted.cores, wanted.memory_mb}, y.resources))
      continue;
    ++workers_.at(*worker).reserved[key];
    driver.reservations.push_back({*worker, y.resources});
  }
  driver.reserved_until = now_ + config_.reservation_timeout;
  check_at(*driver.reserved_until, Due::driver, x.number);
}

} // namespace stoker
