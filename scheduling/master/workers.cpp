#include "scheduling/master/workers.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "messages/printable.hpp"
#include "scheduling/common/host_name.hpp"
#include "scheduling/common/limits.hpp"
#include "scheduling/master/drivers.hpp"
#include "scheduling/master/executors.hpp"
#include "scheduling/master/failed_starts.hpp"
#include "scheduling/master/outages.hpp"
#include "scheduling/master/programs.hpp"
#include "scheduling/master/reservations.hpp"
#include "scheduling/master/size_limits.hpp"
#include "scheduling/master/takeover.hpp"
#include "scheduling/master/worker_reports.hpp"

namespace stoker {

namespace {

void note_heartbeat(Worker& worker, Instant now) {
  worker.last_heartbeat = now;
  worker.stalled = {};
  worker.patience = {};
}

void remove_from_view(Step& step, WorkerKey key) {
  step.state.workers.remove(key);
  step.state.capacity.remove(key);
}

/// @param has_left it said that it leaves
void lose_worker(Step& step, WorkerKey key, const std::string& reason,
                 bool has_left = false) {
  auto& state = step.state;
  auto& worker = state.workers.edit(key);
  assert(worker.stored.state != WorkerState::DEAD);
  set_state(step, key, WorkerState::DEAD);
  worker.report_due.reset();
  step.changes.record(EraseWorker{worker.stored.id, reason, has_left});
  state.recovery.answered(key);
  state.workers.disconnect(key);
  // As in Spark, a dead worker keeps the figures that it had.
  auto& programs = worker.programs;
  for (const auto& ref : std::exchange(programs.executors, {}))
    lose_executor(step, ref, "worker lost: " + reason, Room::stays_taken);
  for (const auto& id : std::exchange(programs.releases, {}))
    drop_release(step, id);
  for (auto driver : std::exchange(programs.drivers, {}))
    lose_driver(step, driver, Room::stays_taken);
  lose_reservations(step, key);
  for (const auto& [app_key, app] : state.applications.all())
    step.send(app.stored.driver,
              WorkerRemoved{worker.stored.id, worker.stored.host, reason});
  check_worker(step, key);
  step.schedule_pass();
}

void decommission(Step& step, WorkerKey key) {
  auto& worker = step.state.workers.edit(key);
  if (worker.stored.state != WorkerState::ALIVE
      && worker.stored.state != WorkerState::UNKNOWN)
    return;
  set_state(step, key, WorkerState::DECOMMISSIONED);
  worker.leaves = true;
  step.changes.touch(key);
  step.state.recovery.answered(key);
  step.send(worker.stored.endpoint, DecommissionWorker{});
  auto refs = worker.programs.executors;
  for (const auto& ref : refs) {
    const auto& app = step.state.applications.at(ref.first);
    // An instance cannot be replaced while it runs: it may end by itself.
    if (app.instances)
      continue;
    worker.programs.executors.erase(ref);
    step.send(app.stored.driver,
              ExecutorUpdated{ref.second, ExecutorState::DECOMMISSIONED,
                              "worker decommissioned", std::nullopt,
                              worker.stored.host, app.ended_executors.next()});
    remove_executor(
        step, ref,
        {ExecutorState::DECOMMISSIONED, std::nullopt, "worker decommissioned"},
        Room::stays_taken);
  }
  step.schedule_pass();
}

// -- coming -------------------------------------------------------------------

Result<ProgramKinds> kinds_of(const RegisterWorker& x) {
  return program_kinds(x.spark_versions, x.only_spark);
}

/// Nothing is started there before it has told what it runs.
void await_report(Step& step, WorkerKey key) {
  auto& worker = step.state.workers.edit(key);
  worker.report_due
      = step.now() + step.config().reconnect_timeout + worker.patience;
  if (worker.stored.state != WorkerState::DECOMMISSIONED)
    set_state(step, key, WorkerState::UNKNOWN);
  check_worker(step, key);
}

void clear_address(Step& step, const RegisterWorker& x) {
  auto key = x.port == 0 ? std::nullopt
                         : step.state.workers.find_by_address(x.host, x.port);
  if (!key)
    return;
  // Nobody else can listen where the new worker does: the earlier one is gone,
  // even if its connection has not been seen to break.
  if (step.state.workers.at(*key).stored.state != WorkerState::DEAD)
    lose_worker(step, *key, "a new worker took its address");
  // It may have been shown for long enough already.
  if (step.state.workers.contains(*key))
    remove_from_view(step, *key);
}

void reregister_worker(Step& step, WorkerKey key, const RegisterWorker& x) {
  auto& state = step.state;
  auto& worker = state.workers.edit(key);
  if (worker.stored.cores != x.cores || worker.stored.memory_mb != x.memory_mb
      || worker.stored.resources != x.resources)
    return step.send(
        x.worker,
        RegisterWorkerFailed{
            to_string(x.id)
            + " is registered with other cores, memory or resources"});
  state.workers.connect(key, x.worker);
  // What was nobody's is his who proves something first.
  if (worker.stored.identity.empty())
    state.workers.give_to(key, x.identity);
  // Another Spark may have been installed meanwhile.
  worker.stored.spark_versions = x.spark_versions;
  worker.stored.only_spark = x.only_spark;
  state.capacity.set_kinds(key, *kinds_of(x));
  note_heartbeat(worker, step.now());
  forget_failed_starts(step, key);
  // What was on its way to the worker may be lost. Until it has reported,
  // nothing new is started there, so the report cannot be older than a start.
  await_report(step, key);
  step.changes.touch(key);
  // Without any time to report in, it is lost at once, and starts anew.
  if (!state.workers.contains(key)
      || state.workers.at(key).stored.state == WorkerState::DEAD)
    return handle(step, x);
  if (x.leaving)
    decommission(step, key);
  // Its answer to either is what it runs.
  auto question = state.workers.ask(key, state.recovery.epoch());
  if (state.recovery.awaits(key))
    step.send(x.worker, MasterChanged{step.config().master_url, question});
  else
    step.send(x.worker,
              RegisteredWorker{step.config().master_url, true, question});
  // It may never have heard that it is to leave.
  if (worker.stored.state == WorkerState::DECOMMISSIONED)
    step.send(x.worker, DecommissionWorker{});
}

} // namespace

// -- what others need ---------------------------------------------------------

WorkerKey add_worker(Step& step, const RegisterWorker& x) {
  auto& state = step.state;
  auto key = state.workers.add({0, x.id, x.worker, x.host, x.port, x.cores,
                                x.memory_mb, NamedResources{x.resources}.all(),
                                WorkerState::DEAD, x.identity, x.spark_versions,
                                x.only_spark});
  auto& worker = state.workers.edit(key);
  worker.last_heartbeat = step.now();
  state.capacity.add(key, x.id, {x.cores, x.memory_mb}, x.resources,
                     *kinds_of(x), WorkerState::DEAD);
  set_state(step, key, WorkerState::ALIVE);
  step.changes.touch(key);
  step.schedule_pass();
  check_worker(step, key);
  return key;
}

// -- events -------------------------------------------------------------------

void handle(Step& step, const RegisterWorker& x) {
  auto& state = step.state;
  if (state.recovery.status() == RecoveryState::STANDBY)
    return step.send(x.worker, MasterInStandby{});
  if (x.id.value.empty() || x.cores <= 0 || x.memory_mb <= 0)
    return step.send(
        x.worker,
        RegisterWorkerFailed{
            "a worker needs an id, at least 1 core and 1 MB of memory"});
  if (x.cores > cores_max || x.memory_mb > memory_mb_max)
    return step.send(
        x.worker,
        RegisterWorkerFailed{"no machine has so many cores or so much memory"});
  if (!is_host_name(x.host))
    return step.send(x.worker, RegisterWorkerFailed{
                                   "its host is no name or address of a host: '"
                                   + printable(x.host) + "'"});
  if (auto valid = validate(x.resources); !valid)
    return step.send(x.worker, RegisterWorkerFailed{valid.error().message});
  if (auto small = check_sizes(x); !small)
    return step.send(x.worker, RegisterWorkerFailed{small.error().message});
  if (auto kinds = kinds_of(x); !kinds)
    return step.send(x.worker, RegisterWorkerFailed{kinds.error().message});
  if (auto key = state.workers.find_present(x.id))
    return reregister_worker(step, *key, x);
  auto leaves = x.leaving;
  if (auto dead = state.workers.find(x.id)) {
    // What it was told may have been lost with it.
    leaves |= state.workers.at(*dead).leaves;
    remove_from_view(step, *dead);
  }
  clear_address(step, x);
  auto key = add_worker(step, x);
  auto question = state.workers.ask(key, state.recovery.epoch());
  step.send(x.worker,
            RegisteredWorker{step.config().master_url, false, question});
  if (x.runs_programs)
    await_report(step, key);
  if (leaves)
    decommission(step, key);
  else if (!x.runs_programs)
    note_worker_is_there(step);
}

void handle(Step& step, const Heartbeat& x) {
  // The worker has not heard that this master leads no more.
  if (step.state.recovery.status() == RecoveryState::STANDBY)
    return step.send(x.worker, MasterInStandby{});
  auto key = step.state.workers.find_present(x.worker_id);
  if (!key)
    return step.send(x.worker, ReconnectWorker{step.config().master_url});
  // Deadlines are looked at when they come, so that a heartbeat costs no more
  // than this.
  auto& worker = step.state.workers.edit(*key);
  note_heartbeat(worker, step.now());
  if (!worker.report_due)
    return;
  // It is waited for, and believes itself registered: what it was asked was lost.
  // It lives, and has the time to register that any other has.
  worker.report_due = step.now() + step.config().reconnect_timeout;
  step.send(x.worker, ReconnectWorker{step.config().master_url});
}

void handle(Step& step, const WorkerLatestState& x) {
  reconcile(step, x);
}

void handle(Step& step, const WorkerSchedulerStateResponse& x) {
  reconcile(step, {x.id, x.exec_responses, x.driver_responses, x.applications,
                   x.question});
}

void handle(Step& step, const WorkerDecommissioning& x) {
  if (auto key = step.state.workers.find(x.id))
    decommission(step, *key);
}

void handle(Step& step, const WorkerLeft& x) {
  auto key = step.state.workers.find_present(x.id);
  if (!key)
    return;
  // Whoever comes under its id is another one.
  step.state.workers.edit(*key).leaves = false;
  lose_worker(step, *key, "it left", true);
}

void handle(Step& step, const DecommissionWorkers& x) {
  DecommissionWorkersResponse response;
  for (const auto& id : x.ids) {
    auto key = step.state.workers.find_present(id);
    if (!key)
      continue;
    decommission(step, *key);
    response.ids.push_back(id);
  }
  step.reply(std::move(response));
}

// -- states -------------------------------------------------------------------

void set_state(Step& step, WorkerKey key, WorkerState state) {
  auto before = step.state.workers.set_state(key, state);
  step.state.capacity.set_state(key, state);
  if ((before == WorkerState::ALIVE) == (state == WorkerState::ALIVE))
    return;
  if (auto* tenants = step.state.admission.tenants())
    tenants->set_cluster(step.now(), step.state.capacity.alive());
  // Without what runs or is kept there, the gang that reserves may start later, and lends its
  // places until then.
  const auto& executors = step.state.workers.at(key).programs.executors;
  if (before == WorkerState::ALIVE && step.state.gangs.reserving()
      && !(executors.empty() && step.state.reservations.kept_on(key).empty()))
    step.schedule_pass();
}

void disconnect(Step& step, WorkerKey key) {
  step.state.workers.disconnect(key);
  await_report(step, key);
}

Instant deadline_of(const Step& step, const Worker& x) {
  return x.last_heartbeat + step.config().worker_timeout + x.stalled
         + x.patience;
}

void postpone_workers(Step& step, Duration by) {
  for (const auto& [key, x] : step.state.workers.all()) {
    if (x.stored.state == WorkerState::DEAD)
      continue;
    auto& worker = step.state.workers.edit(key);
    worker.stalled += by;
    if (worker.report_due)
      *worker.report_due += by;
  }
}

void check_worker(Step& step, WorkerKey key) {
  if (!step.state.workers.contains(key))
    return;
  check_rest(step, key);
  const auto& worker = step.state.workers.at(key);
  const auto& config = step.config();
  if (worker.stored.state == WorkerState::DEAD) {
    auto shown_until
        = worker.last_heartbeat
          + config.worker_timeout
                * (Duration::rep{1} + config.dead_worker_persistence);
    if (shown_until <= step.now())
      return remove_from_view(step, key);
    return step.check_at(shown_until, Due::worker, number_of(key));
  }
  auto is_over = [&] {
    return deadline_of(step, worker) <= step.now()
           || (worker.report_due && *worker.report_due <= step.now());
  };
  if (is_over() && (!wait_out_outage(step, key) || is_over())) {
    auto waited = config.worker_timeout + worker.patience;
    auto silent = deadline_of(step, worker) <= step.now();
    return lose_worker(
        step, key,
        silent ? "no heartbeat for " + std::to_string(waited.count()) + " ms"
               : "its connection broke and it did not come back");
  }
  auto due = deadline_of(step, worker);
  if (worker.report_due)
    due = std::min(due, *worker.report_due);
  step.check_at(due, Due::worker, number_of(key));
}

} // namespace stoker
