#include "scheduling/master/takeover.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduling/master/applications.hpp"
#include "scheduling/master/demand.hpp"
#include "scheduling/master/dependencies.hpp"
#include "scheduling/master/driver_admission.hpp"
#include "scheduling/master/executors.hpp"
#include "scheduling/master/programs.hpp"
#include "scheduling/master/reservations.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/master/tenant_admission.hpp"
#include "scheduling/master/workers.hpp"

namespace stoker {

namespace {

/// Records in the order in which they ended, those that have not first.
template <class Record>
std::vector<const Record*> by_end(const std::vector<Record>& records) {
  std::vector<const Record*> result;
  result.reserve(records.size());
  for (const auto& x : records)
    result.push_back(&x);
  std::stable_sort(
      result.begin(), result.end(), [](const auto* a, const auto* b) {
        return a->ended.value_or(Instant{}) < b->ended.value_or(Instant{});
      });
  return result;
}

// -- workers ------------------------------------------------------------------

void restore_worker(Step& step, StoredWorker x) {
  auto& state = step.state;
  auto kinds = program_kinds(x.spark_versions, x.only_spark);
  if (!kinds || !validate(x.resources))
    return;
  if (x.state != WorkerState::DECOMMISSIONED)
    x.state = WorkerState::UNKNOWN;
  auto key = state.workers.restore(std::move(x));
  if (!key)
    return;
  auto& worker = state.workers.edit(*key);
  const auto& stored = worker.stored;
  worker.leaves = stored.state == WorkerState::DECOMMISSIONED;
  state.capacity.add(*key, stored.id, {stored.cores, stored.memory_mb},
                     stored.resources, *kinds, stored.state);
  worker.last_heartbeat = step.now();
  worker.report_due = step.now() + step.config().reconnect_timeout;
  if (stored.state == WorkerState::UNKNOWN)
    state.recovery.await(*key);
}

// -- applications -------------------------------------------------------------

void restore_application(Step& step, const StoredApplication& x) {
  auto* app = step.state.applications.restore(x);
  if (app == nullptr)
    return;
  // Its position comes back with the queues.
  app->stored.turn.reset();
  app->executors.set_next_id(std::max(0, x.next_exec_id));
  app->ended_executors.set_count_ever(x.ends);
  if (x.description.instances)
    app->instances.emplace(x.description.instances->count);
  if (x.started && x.description.time_limit_ms)
    step.state.time_limits.set_end(
        app->key(), *x.started + Duration{*x.description.time_limit_ms});
  app->reconnect_due = step.now() + step.config().reconnect_timeout;
  step.state.recovery.await(app->key());
}

void restore_instance(Step& step, const StoredInstance& x) {
  auto key = step.state.applications.find(x.app_id);
  if (!key)
    return;
  auto& app = step.state.applications.edit(*key);
  if (app.instances)
    app.instances->restore(x.index, x.done, x.failures);
}

/// Those that have ended, with their executors.
void restore_ended(Step& step, const StoredState& stored) {
  std::unordered_map<AppId, std::vector<StoredExecutor>> executors;
  for (const auto& x : stored.applications)
    if (is_finished(x.state))
      executors.try_emplace(x.id);
  for (const auto& x : stored.executors)
    if (auto i = executors.find(x.app_id); i != executors.end() && x.ended) {
      i->second.push_back(x);
      i->second.back().ending = false;
    }
  for (const auto* x : by_end(stored.applications)) {
    if (!is_finished(x->state))
      continue;
    auto& those = executors[x->id];
    std::stable_sort(those.begin(), those.end(),
                     [](const auto& a, const auto& b) {
                       return a.end_number < b.end_number;
                     });
    Application app;
    app.stored = *x;
    app.executors.set_next_id(std::max(0, x->next_exec_id));
    if (x->description.instances)
      app.instances.emplace(x->description.instances->count);
    keep_ended(step, {info_of(app), x->driver, std::move(those)});
  }
}

void restore_executor(Step& step, const StoredExecutor& x) {
  auto& state = step.state;
  auto app_key = state.applications.find(x.app_id);
  auto worker = state.workers.find(x.worker_id);
  if (!app_key || !worker)
    return;
  auto& app = state.applications.edit(*app_key);
  if (app.executors.find(x.exec_id) != nullptr
      || app.instances.has_value() != x.index.has_value()
      || (x.index && !app.instances->waits(*x.index))
      || !state.capacity.take(*worker, allotment_of(x)))
    return;
  if (x.index)
    app.instances->begin_attempt(*x.index);
  app.executors.add({x, *worker});
  state.workers.edit(*worker).programs.executors.insert({*app_key, x.exec_id});
}

/// One that has ended, or that was told to.
void restore_ending(Step& step, const StoredExecutor& x) {
  auto& state = step.state;
  auto app = state.applications.find(x.app_id);
  auto worker = state.workers.find(x.worker_id);
  if (app && x.ended) {
    auto& owner = state.applications.edit(*app);
    auto ended = x;
    ended.ending = false;
    owner.ended_executors.restore(std::move(ended),
                                  owner.instances && x.index
                                      && !owner.instances->is_done(*x.index));
  }
  if (app && worker)
    state.applications.edit(*app).executors.note_worker(*worker);
  ExecutorId id{x.app_id, x.exec_id};
  if (!x.ending || !worker || state.releases.contains(id)
      || !state.capacity.take(*worker, allotment_of(x)))
    return;
  PendingRelease release{x, *worker, std::nullopt};
  if (app && x.index && state.applications.at(*app).instances) {
    release.app = *app;
    auto& instances = *state.applications.edit(*app).instances;
    if (instances.waits(*x.index))
      instances.begin_attempt(*x.index);
  }
  state.workers.edit(*worker).programs.releases.insert(id);
  state.releases.add(std::move(release));
}

/// Which failures belong together is not stored: what was there before belongs to
/// the last one.
void restore_failures(Application& app) {
  if (app.stored.failures_in_a_row > 0)
    for (auto worker : app.executors.workers())
      app.failed_before[worker] = app.executors.next_id();
}

// -- queues -------------------------------------------------------------------

/// Those that were admitted, in the same order.
void restore_admitted(Step& step, const StoredApplication& x) {
  auto& state = step.state;
  AppKey key{x.number};
  auto& app = state.applications.edit(key);
  app.stored.turn = x.turn;
  state.admission.restore(*app.position());
  if (auto* tenants = state.admission.tenants()) {
    join_driver(step, key);
    tenants->adopt(step.now(), key, entry_of(state, app, x.requested));
    app.requested = tenants->admitted_request(key);
  }
}

void restore_waiting(Step& step, const StoredApplication& x) {
  auto& state = step.state;
  AppKey key{x.number};
  auto* tenants = state.admission.tenants();
  if (tenants == nullptr)
    return admit(step, key);
  // Not what it would ask for now: how large its executors would be is not
  // known before the workers are back.
  auto& app = state.applications.edit(key);
  app.requested = x.requested;
  // If the rules have changed so that it could not come now, it waits until they change
  // again.
  join_driver(step, key);
  tenants->add(step.now(), key, entry_of(state, app, x.requested));
}

/// A driver that was admitted.
void restore_admitted(Step& step, DriverKey key) {
  auto& state = step.state;
  const auto& driver = state.drivers.at(key);
  if (const auto& turn = driver.stored.turn) {
    state.admission.restore_driver(*turn);
  } else {
    // Of a leader without tenants.
    state.drivers.edit(key).stored.turn = state.admission.admit_driver();
    step.changes.touch(key);
  }
  adopt(step, key);
  if (!driver.worker)
    state.drivers.admit(key, driver.stored.turn);
  update_demand(step, key);
  requeue_if_short(step, key);
}

void restore_driver_queues(Step& step) {
  auto& state = step.state;
  std::vector<DriverKey> admitted;
  std::vector<DriverKey> waiting;
  for (const auto& [key, driver] : state.drivers.all())
    if (!driver.stored.ended && driver.stored.waits_for.empty())
      (driver.worker || driver.stored.turn ? admitted : waiting).push_back(key);
  auto* tenants = state.admission.tenants();
  if (tenants == nullptr) {
    for (const auto& keys : {admitted, waiting})
      for (auto key : keys)
        if (const auto& driver = state.drivers.at(key); !driver.worker) {
          // Of a leader with tenants.
          if (driver.stored.turn || driver.stored.requested != Resources{})
            step.changes.touch(key);
          state.drivers.admit(key, std::nullopt);
        }
    return;
  }
  std::stable_sort(admitted.begin(), admitted.end(), [&](auto a, auto b) {
    return state.drivers.at(a).stored.turn < state.drivers.at(b).stored.turn;
  });
  for (auto key : admitted)
    restore_admitted(step, key);
  for (auto key : waiting)
    tenants->add(step.now(), key, entry_of(state.drivers.at(key).stored));
}

void restore_queues(Step& step, const StoredState& stored) {
  auto& state = step.state;
  std::vector<const StoredApplication*> admitted;
  std::vector<const StoredApplication*> waiting;
  std::set<AppKey> seen;
  for (const auto& x : stored.applications)
    if (state.applications.contains(AppKey{x.number}) && !is_finished(x.state)
        && x.waits_for.empty() && seen.insert(AppKey{x.number}).second)
      (x.turn ? admitted : waiting).push_back(&x);
  std::stable_sort(
      admitted.begin(), admitted.end(), [](const auto* a, const auto* b) {
        return std::pair{*a->turn, a->number} < std::pair{*b->turn, b->number};
      });
  for (const auto* x : admitted)
    restore_admitted(step, *x);
  for (const auto* x : waiting)
    restore_waiting(step, *x);
  restore_driver_queues(step);
  if (auto* tenants = state.admission.tenants())
    tenants->restore(step.now(), stored.companies, stored.users);
  std::vector<AppKey> apps;
  for (const auto& [key, app] : state.applications.all())
    apps.push_back(key);
  for (auto key : apps) {
    auto& app = state.applications.edit(key);
    app.executors.prefer(app.stored.preferred_hosts);
    update_demand(step, key);
  }
}

// -- drivers ------------------------------------------------------------------

void restore_driver(Step& step, const StoredDriver& x) {
  auto& state = step.state;
  auto* driver = state.drivers.restore(x);
  if (driver == nullptr)
    return;
  auto reservations = std::exchange(driver->stored.reservations, {});
  if (x.ended)
    return;
  auto worker = x.worker_id ? state.workers.find(*x.worker_id) : std::nullopt;
  if (!worker || !state.capacity.take(*worker, driver->allotment())) {
    driver->stored.resources.clear();
    return;
  }
  DriverKey key{x.number};
  state.drivers.admit(key, x.turn);
  state.drivers.assign(key, *worker);
  state.workers.edit(*worker).programs.drivers.insert(key);
  restore_reservations(step, key, reservations);
}

// -- all of it ----------------------------------------------------------------

/// Whose time has run out meanwhile is removed with all it has.
void check_restored(Step& step) {
  std::vector<WorkerKey> workers;
  for (const auto& [key, worker] : step.state.workers.all())
    workers.push_back(key);
  for (auto key : workers)
    check_worker(step, key);
  std::vector<AppKey> apps;
  for (const auto& [key, app] : step.state.applications.all())
    apps.push_back(key);
  for (auto key : apps)
    check_application(step, key);
}

void restore(Step& step, const StoredState& stored) {
  step.state.applications.set_count_ever(stored.counters.applications);
  step.state.drivers.set_count_ever(stored.counters.drivers);
  for (const auto& x : stored.workers)
    restore_worker(step, x);
  for (const auto& x : stored.applications)
    if (!is_finished(x.state))
      restore_application(step, x);
  for (const auto& x : stored.instances)
    restore_instance(step, x);
  for (const auto* x : by_end(stored.executors))
    if (x->ended || x->ending)
      restore_ending(step, *x);
    else
      restore_executor(step, *x);
  // Some may be forgotten now, but for what of them still has to end.
  restore_ended(step, stored);
  for (const auto* x : by_end(stored.drivers))
    restore_driver(step, *x);
  step.state.drivers.release_restored();
  for (const auto& [key, app] : step.state.applications.all()) {
    // What was forgotten while it still had to end is stored, too.
    forget_ended(step, key);
    restore_failures(step.state.applications.edit(key));
  }
  restore_queues(step, stored);
  restore_dependents(step);
  check_restored(step);
}

/// Asks all who were restored to answer.
void await_answers(Step& step) {
  auto& recovery = step.state.recovery;
  if (!recovery.awaits_anyone())
    return;
  MasterChanged message{step.config().master_url, std::nullopt};
  for (auto key : recovery.workers()) {
    auto question = step.state.workers.ask(key, recovery.epoch());
    step.send(step.state.workers.at(key).stored.endpoint,
              MasterChanged{message.master_url, question});
  }
  for (auto key : recovery.apps())
    step.send(step.state.applications.at(key).stored.driver, message);
  auto due = step.now() + step.config().recovery_timeout;
  recovery.wait_until(due);
  step.check_at(due, Due::recovery, 0);
}

} // namespace

void handle(Step& step, const ElectedLeader& x) {
  // Heard twice, it is the same leadership.
  if (step.state.recovery.status() != RecoveryState::STANDBY)
    return;
  step.state.recovery.begin(x.epoch);
  step.changes.record(step.state.config);
  restore(step, x.stored);
  await_answers(step);
}

void handle(Step& step, const LeadershipEnded&) {
  auto now = step.now();
  step.state = ClusterState{step.config()};
  step.state.now = now;
}

void postpone_recovery(Step& step, Duration by) {
  auto& recovery = step.state.recovery;
  if (recovery.status() != RecoveryState::RECOVERING)
    return;
  recovery.postpone(by);
  step.check_at(recovery.due(), Due::recovery, 0);
}

void note_worker_is_there(Step& step) {
  auto& recovery = step.state.recovery;
  if (recovery.status() != RecoveryState::RECOVERING)
    return;
  recovery.wait_for_silence(step.now() + step.config().recovery_silence);
  step.check_at(recovery.due(), Due::recovery, 0);
}

void finish_recovery(Step& step) {
  if (!step.state.recovery.finish(step.now()))
    return;
  step.schedule_pass();
  const auto admitted = step.state.admission.admitted();
  for (const auto& position : admitted)
    claim_reservations(step, position.app);
  std::vector<AppKey> queued;
  for (const auto& [key, app] : step.state.applications.all())
    if (!app.position())
      queued.push_back(key);
  // The rules may be others than those of the last leader.
  for (auto key : queued)
    ask_again(step, key);
  for (auto key : queued)
    claim_reservations(step, key);
}

} // namespace stoker
