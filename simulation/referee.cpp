// What masters, workers and clients do, held against what was promised.

#include "simulation/referee.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <ostream>

#include "scheduling/master/invariants.hpp"
#include "scheduling/master/render.hpp"
#include "scheduling/master/snapshot.hpp"

namespace stoker::simulation {

namespace {

/// For whom nobody may be there any more, nothing is started.
void judge_who_is_served(const MasterProcess& master,
                         const StepResult& result) {
  const auto& applications = master.cluster().state().applications;
  for (const auto& message : result.messages)
    if (const auto* start = std::get_if<StartExecutor>(&message))
      if (auto key = applications.find(start->app_id);
          key && applications.at(*key).reconnect_due)
        fail(start->app_id.value
             + " is given an executor, and its driver is away");
}

/// A gang starts whole or not at all, and nobody forgets how large it is.
void judge_gangs(const MasterProcess& master, const StepResult& result) {
  const auto& applications = master.cluster().state().applications;
  for (const auto& message : result.messages) {
    const auto* start = std::get_if<StartExecutor>(&message);
    if (start == nullptr)
      continue;
    auto key = applications.find(start->app_id);
    if (!key)
      continue;
    const auto& app = applications.at(*key);
    auto needed = app.stored.description.instances
                      ? app.stored.description.gang.value_or(1)
                      : app.stored.gang.value_or(1);
    needed = std::min(needed, app.stored.executor_limit.value_or(needed));
    if (app.instances)
      needed = std::min(needed,
                        app.instances->count() - app.instances->count_done());
    if (app.executors.count() < needed)
      fail(start->app_id.value + " needs " + std::to_string(needed)
           + " executors at once, and is started with "
           + std::to_string(app.executors.count()));
  }
}

/// Nothing is kept for longer than it may be.
void judge_reservations(const MasterProcess& master, const Event& what) {
  const auto& cluster = master.cluster();
  if (!std::holds_alternative<CheckForWorkerTimeOut>(what))
    return;
  for (const auto& [owner, x] : cluster.state().reservations.all())
    if (x.until <= master.now())
      fail("room for " + std::to_string(x.count())
           + " executors is kept for too long");
}

/// Whoever could not start a program rests for a while, and is given nothing.
void judge_starts(const MasterProcess& master, const StepResult& result) {
  const auto& cluster = master.cluster();
  if (cluster.config().worker_backoff <= Duration{})
    return;
  const auto& workers = cluster.state().workers;
  auto rests = [&](WorkerKey key) {
    return workers.at(key).failed_starts.rests_until.has_value();
  };
  for (const auto& change : result.changes)
    if (const auto* x = std::get_if<StoredExecutor>(&change);
        x != nullptr && x->state == ExecutorState::FAILED && !x->exit_status
        && x->ended == master.now())
      if (auto key = workers.find_present(x->worker_id); key && !rests(*key))
        fail(x->worker_id.value
             + " could not start a program and does not rest");
  for (const auto& message : result.messages)
    if (const auto* start = std::get_if<StartExecutor>(&message))
      if (auto key = workers.find_by_endpoint(start->to); key && rests(*key))
        fail(start->to.value + " rests and is given something");
}

void check_room(const WorkerProcess& worker, const Program& program) {
  if (program.given_up)
    return;
  auto cores = program.cores;
  for (const auto& [number, x] : worker.programs()) {
    if (x.worker != program.worker || x.orphan || x.given_up)
      continue;
    for (const auto& [name, addresses] : program.resources)
      if (auto i = x.resources.find(name); i != x.resources.end())
        for (const auto& address : addresses)
          if (std::find(i->second.begin(), i->second.end(), address)
              != i->second.end())
            fail(name + " " + address + " of " + program.worker.value
                 + " is in use twice, by " + to_string(x.id) + " and "
                 + to_string(program.id));
    // Cores of what was told to end are given away at once, as in Spark.
    if (!x.told_to_end)
      cores += x.cores;
  }
  if (cores > worker.config().cores)
    fail(program.worker.value + " has programs for " + std::to_string(cores)
         + " cores");
}

} // namespace

void Referee::note(const std::string& who, const std::string& what) const {
  if (log_ != nullptr)
    *log_ << queue_.since_begin().count() << ' ' << who << ": " << what << '\n';
}

// -- masters ------------------------------------------------------------------

void Referee::leads(const MasterProcess& master, LeaderEpoch epoch) {
  if (epoch <= last_epoch_)
    fail(master.name() + " leads with an epoch that is not new");
  last_epoch_ = epoch;
  last_takeover_ = queue_.now();
  outputs_.leader_begins();
  ending_.clear();
  erased_workers_.clear();
  for (auto& [endpoint, model] : applications_)
    model.failed_before.clear();
  stats_.count("leaderships");
}

void Referee::took_over(const MasterProcess& master) const {
  const auto& cluster = master.cluster();
  auto stored = directory_.load();
  for (const auto& [endpoint, model] : applications_) {
    if (!model.id)
      continue;
    if (kill_acknowledged_.contains(*model.id)
        && find_description(cluster.state(), *model.id) != nullptr)
      fail(model.id->value + " was killed, and is there again");
    if (model.ended || !model.acknowledged)
      continue;
    auto record
        = std::find_if(stored.applications.begin(), stored.applications.end(),
                       [&id = model.id](const auto& x) { return x.id == *id; });
    if (record == stored.applications.end())
      fail(model.id->value + " was acknowledged and is not stored");
    std::set<int> done;
    for (const auto& x : stored.instances)
      if (x.app_id == *model.id && x.done)
        done.insert(x.index);
    for (auto index : model.done)
      if (!done.contains(index))
        fail("the end of instance " + std::to_string(index) + " of "
             + model.id->value + " was stored and is forgotten");
  }
  for (const auto& [id, model] : drivers_)
    if (model.acknowledged && !driver_status(cluster.state(), id).found)
      fail(id.value + " was acknowledged and is forgotten");
}

void Referee::stepped(const MasterProcess& master, const Event& what,
                      const StepResult& result) {
  stats_.count_event("master", what);
  if (log_ != nullptr) {
    note(master.name(), to_string(what));
    for (const auto& line : to_lines(result))
      note("  " + master.name(), line);
  }
  fold(what.index());
  fold(static_cast<std::uint64_t>(
      master.cluster().now().time_since_epoch().count()));
  auto in_force
      = master.leading() && directory_.leads(master.cluster().epoch());
  if (!result.changes.empty()) {
    stats_.count("steps that change what is stored");
    fold(5);
    fold(result.changes.size());
    if (in_force)
      judge(master, what, result.changes);
  }
  for (const auto& message : result.messages) {
    stats_.count_event("message", message);
    fold(message.index());
    if (const auto* send = std::get_if<Send>(&message)) {
      stats_.count_event("notice", send->message);
      fold(send->message.index() + send->to.value.size());
    }
  }
  if (result.wake_at)
    fold(4);
  auto looks = ++steps_ % look_every_ == 0;
  auto problem
      = looks ? invariant_violation(master.cluster().state()) : std::nullopt;
  if (problem)
    fail("the state of " + master.name() + " is inconsistent: " + *problem);
  if (!in_force)
    return;
  judge_starts(master, result);
  judge_gangs(master, result);
  judge_reservations(master, what);
  judge_who_is_served(master, result);
  judge_limits(master, result);
  for (const auto& [endpoint, model] : applications_)
    if (model.acknowledged && !model.ended && !ending_.contains(*model.id)
        && find_description(master.cluster().state(), *model.id) == nullptr)
      fail(model.id->value + " was acknowledged and is unknown to "
           + master.name());
}

void Referee::committed(const MasterProcess& master, LeaderEpoch by,
                        const Changes& changes) {
  if (by != last_epoch_)
    fail(master.name() + " commits after another leader has begun");
  stats_.count("commits");
  for (const auto& change : changes) {
    stats_.count_event("change", change);
    if (const auto* app = std::get_if<StoredApplication>(&change)) {
      auto& model = applications_[app->driver];
      if (model.id && *model.id != app->id)
        fail(app->driver.value + " is two applications");
      model.id = app->id;
      if (is_finished(app->state))
        model.ended = app->message;
    } else if (const auto* instance = std::get_if<StoredInstance>(&change)) {
      if (auto* owner = find(instance->app_id); owner && instance->done)
        owner->done.insert(instance->index);
    } else if (const auto* driver = std::get_if<StoredDriver>(&change)) {
      if (!driver->submission.empty()
          && submissions_.emplace(driver->submission, driver->id).first->second
                 != driver->id)
        fail(driver->submission + " is two drivers");
      auto& model = drivers_[driver->id];
      if (driver->ended)
        model.final_state = driver->state;
      model.meant_for = driver->worker_id;
    } else if (const auto* executor = std::get_if<StoredExecutor>(&change)) {
      auto& model = executors_[{executor->app_id, executor->exec_id}];
      model.meant_for = executor->worker_id;
      // It may run on, but has left its application.
      if (executor->state == ExecutorState::DECOMMISSIONED)
        model.has_left = true;
      const auto* owner = find(executor->app_id);
      if (executor->index
          && (owner == nullptr || !owner->done.contains(*executor->index)))
        model.stored_before_done = true;
      if (model.given_up && !executor->ended)
        take_back({executor->app_id, executor->exec_id});
    } else if (const auto* worker = std::get_if<EraseWorker>(&change)) {
      give_up(worker->id);
    }
  }
}

void Referee::give_up(const WorkerId& id) {
  for (auto* worker : workers_)
    for (auto& [number, program] : worker->programs())
      if (program.worker == id)
        program.given_up = true;
  for (auto& [executor, model] : executors_)
    if (model.meant_for == id)
      model.given_up = true;
  for (auto& [driver, model] : drivers_)
    if (model.meant_for == id)
      model.given_up = true;
}

void Referee::take_back(const ExecutorId& id) {
  stats_.count("executors taken back");
  executors_[id].given_up = false;
  for (auto* worker : workers_)
    for (auto& [number, program] : worker->programs())
      if (program.executor() != nullptr && *program.executor() == id)
        program.given_up = false;
}

// -- workers ------------------------------------------------------------------

void Referee::program_starts(const WorkerProcess& worker, Program& program) {
  note(worker.name(), "starts " + to_string(program.id));
  stats_.count(program.executor() != nullptr ? "executors started"
                                             : "drivers started");
  if (program.executor() != nullptr)
    check_executor(program);
  else
    check_driver(program);
  check_room(worker, program);
}

void Referee::check_executor(Program& program) {
  const auto& id = *program.executor();
  auto& executor = executors_[id];
  if (executor.worker)
    fail("executor " + to_string(id) + " is started twice");
  executor.worker = program.worker;
  executor.index = program.index;
  // What was on its way to a worker that has been given up may still arrive.
  program.given_up = executor.given_up;
  outputs_.program_starts(program, executor.stored_before_done);
  if (kill_acknowledged_.contains(id.app_id))
    stats_.count("executors started late for a killed application");
  if (!program.index || program.given_up)
    return;
  auto what
      = "instance " + std::to_string(*program.index) + " of " + id.app_id.value;
  if (auto* model = find(id.app_id); model != nullptr
                                     && model->done.contains(*program.index)
                                     && !executor.stored_before_done)
    fail(what + " was done and is started again");
  for (const auto* other : workers_)
    for (const auto& [number, x] : other->programs())
      if (x.executor() != nullptr && x.executor()->app_id == id.app_id
          && x.index == program.index && !x.orphan && !x.given_up)
        fail(what + " runs twice");
}

void Referee::check_driver(Program& program) {
  auto& model = drivers_[*program.driver()];
  if (model.started_on && *model.started_on != program.worker)
    fail(program.driver()->value + " is started on two workers");
  model.started_on = program.worker;
  program.given_up = model.given_up;
  if (model.final_state && !program.given_up)
    fail(program.driver()->value + " has ended and is started again");
}

void Referee::program_ended(const WorkerProcess& worker, const Program& program,
                            std::optional<int> exit_code) {
  note(worker.name(), to_string(program.id) + " has ended");
  stats_.count("programs ended");
  outputs_.program_ended(program, exit_code);
  auto badly = exit_code != 0 && !program.told_to_end;
  if (program.driver() != nullptr) {
    auto& model = drivers_[*program.driver()];
    model.ended_well |= exit_code == 0;
    model.ended_badly |= exit_code != 0;
  } else if (auto* app = find(program.executor()->app_id); app && badly) {
    // Instances that were there together and end without a status of their own
    // are one failure.
    auto number = program.executor()->exec_id;
    auto& later = app->failed_before[program.worker];
    auto is_another = number >= later;
    if (!program.index || exit_code || is_another)
      ++app->bad_ends;
    if (!exit_code && is_another)
      later = last_executor_of(program.executor()->app_id) + 1;
    if (program.index)
      ++app->bad_ends_of_index[*program.index];
  }
}

int Referee::last_executor_of(const AppId& id) const {
  auto i = executors_.lower_bound({id, std::numeric_limits<int>::max()});
  return i == executors_.begin() ? -1 : std::prev(i)->first.exec_id;
}

void Referee::acknowledged(const ExecutorStateChanged& x) {
  stats_.count("states acknowledged");
  auto i = executors_.find({x.app_id, x.exec_id});
  auto* app = find(x.app_id);
  if (i == executors_.end() || app == nullptr)
    return;
  auto& executor = i->second;
  if (x.state == ExecutorState::RUNNING)
    executor.running_acknowledged = true;
  if (x.state == ExecutorState::EXITED && x.exit_status == 0 && executor.index
      && !executor.kill_asked && !app->ended
      && !app->done.contains(*executor.index))
    fail("the end of " + to_string(i->first)
         + " is acknowledged and not stored");
}

// -- clients ------------------------------------------------------------------

Referee::ApplicationModel* Referee::find(const AppId& id) {
  for (auto& [endpoint, model] : applications_)
    if (model.id == id)
      return &model;
  return nullptr;
}

void Referee::watch(const ApplicationProcess& process) {
  applications_[process.endpoint()].process = &process;
}

void Referee::registered(const ApplicationProcess& process, const AppId& id) {
  auto& model = applications_[process.endpoint()];
  if (model.acknowledged && model.id != id)
    fail(process.name() + " was " + model.id->value + " and is now "
         + id.value);
  for (const auto& [endpoint, other] : applications_)
    if (endpoint != process.endpoint() && other.id == id)
      fail(id.value + " is the id of two applications");
  model.id = id;
  model.acknowledged = true;
}

void Referee::leaves(const ApplicationProcess& process) {
  applications_[process.endpoint()].leaves = true;
}

void Referee::kills(const ExecutorId& id) {
  executors_[id].kill_asked = true;
  outputs_.kills(id);
}

void Referee::dead(const ApplicationProcess& process,
                   const ApplicationDead& end) {
  auto& model = applications_[process.endpoint()];
  stats_.count("applications that were removed");
  if (model.acknowledged && !model.ended
      && end.reason != EndReason::master_lost)
    fail(process.name()
         + " is told that it is over, but nobody has ended it: " + end.message);
}

std::vector<DriverId> Referee::acknowledged_drivers() const {
  std::vector<DriverId> result;
  for (const auto& [id, model] : drivers_)
    if (model.acknowledged)
      result.push_back(id);
  return result;
}

void Referee::asked(const Event& what) {
  stats_.count_event("asked", what);
  if (const auto* x = std::get_if<RequestKillApplication>(&what))
    kill_asked_.insert(x->app_id);
  else if (const auto* y = std::get_if<RequestKillDriver>(&what))
    drivers_[y->driver_id].kill_asked = true;
}

void Referee::answered(const Event&, const Answer& answer) {
  stats_.count_event("answered", answer);
  if (const auto* x = std::get_if<SubmitDriverResponse>(&answer)) {
    // Each has an id of its own, and asks for nothing that no cluster could do.
    if (!x->success)
      return fail("a submission is refused: " + x->message);
    auto& model = drivers_[*x->driver_id];
    if (model.acknowledged)
      fail(x->driver_id->value + " is the id of two drivers");
    model.acknowledged = true;
  } else if (const auto* y = std::get_if<KillDriverResponse>(&answer)) {
    if (y->success)
      drivers_[y->driver_id].kill_acknowledged = true;
  } else if (const auto* z = std::get_if<KillApplicationResponse>(&answer)) {
    if (z->success)
      kill_acknowledged_.insert(z->app_id);
  }
}

} // namespace stoker::simulation
