// Whether what a leader decides about ends has happened as it says.

#include <algorithm>
#include <variant>

#include "simulation/referee.hpp"

namespace stoker::simulation {

namespace {

/// What passes between somebody who is there and a master that has not heard of
/// it yet, or the other way round.
constexpr Duration slack = std::chrono::seconds{5};

/// Who hangs for longer than that is replaced.
constexpr Duration hang_max = std::chrono::seconds{16};

/// Whether a worker that is there says what it runs.
bool is_report(const Event& what) {
  return std::holds_alternative<WorkerLatestState>(what)
         || std::holds_alternative<WorkerSchedulerStateResponse>(what);
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

} // namespace

void Referee::judge(const MasterProcess& master, const Event& what,
                    const Changes& changes) {
  for (const auto& change : changes)
    if (const auto* app = std::get_if<StoredApplication>(&change)) {
      judge_number(*app);
      if (!is_finished(app->state) || !ending_.insert(app->id).second)
        continue;
      stats_.count("end: " + to_string(app->state));
      handle_executor_exit(master, *app, applications_[app->driver]);
    } else if (const auto* driver = std::get_if<StoredDriver>(&change)) {
      judge_driver(*driver, what);
    } else if (const auto* worker = std::get_if<EraseWorker>(&change)) {
      judge_lost_worker(master, worker->id);
      judge_outage(master, what);
    }
}

// -- applications -------------------------------------------------------------

void Referee::judge_number(const StoredApplication& x) {
  // A number that no client has heard of may be given again.
  auto heard = [&](const AppId& id) {
    return std::any_of(applications_.begin(), applications_.end(),
                       [&](const auto& y) {
                         return y.second.id == id && y.second.acknowledged;
                       });
  };
  auto [i, is_new] = app_numbers_.emplace(x.number, x.id);
  if (!is_new && i->second != x.id && heard(i->second))
    fail(x.id.value + " and " + i->second.value + " have the same number");
  i->second = x.id;
}

bool Referee::surely_runs(const MasterProcess& master, const AppId& id) const {
  const auto& known = master.cluster().state().workers;
  // What is lost with its worker, or leaves with it, is not counted on, whether
  // that is committed yet or not.
  auto is_lost = [&](const WorkerId& x) {
    auto key = known.find(x);
    return !key || known.at(*key).stored.state == WorkerState::DEAD
           || known.at(*key).stored.state == WorkerState::DECOMMISSIONED;
  };
  for (const auto* worker : workers_)
    for (const auto& [number, x] : worker->programs())
      if (x.executor() != nullptr && x.executor()->app_id == id
          && !x.told_to_end && !x.orphan && !x.given_up && worker->up()
          && !is_lost(x.worker))
        if (auto i = executors_.find(*x.executor());
            i != executors_.end() && i->second.running_acknowledged
            && !i->second.has_left && !i->second.kill_asked)
          return true;
  return false;
}

void Referee::handle_executor_exit(const MasterProcess& master,
                                   const StoredApplication& x,
                                   const ApplicationModel& model) const {
  auto why = x.id.value + " ends as " + to_string(x.state) + " (" + x.message
             + "), but ";
  const auto& limits = master.cluster().config();
  if (x.state == ApplicationState::FINISHED) {
    if (!model.leaves)
      fail(why + "it has not left");
  } else if (contains(x.message, "killed on request")) {
    if (!kill_asked_.contains(x.id))
      fail(why + "nobody has asked for that");
  } else if (contains(x.message, "connection broke")) {
    const auto* process = model.process;
    auto since = process->registered_since();
    auto patience = limits.reconnect_timeout + slack;
    if (process->up() && !process->paused() && since
        && process->connected_to(master) && !master.paused()
        && queue_.now() - *since > patience
        && !network_.disturbance().after(queue_.now() - patience))
      fail(why + "its driver is there");
  } else if (contains(x.message, "time limit")) {
    if (!x.description.time_limit_ms)
      fail(why + "it has none");
  } else if (contains(x.message, "in a row")) {
    if (model.bad_ends < limits.max_executor_retries)
      fail(why + "only " + std::to_string(model.bad_ends) + " failed");
    if (!x.description.instances && surely_runs(master, x.id))
      fail(why + "an executor of it runs");
  } else if (contains(x.message, "instance ")) {
    const auto& limit = x.description.instances->max_failures;
    auto failed = std::any_of(model.bad_ends_of_index.begin(),
                              model.bad_ends_of_index.end(),
                              [&](const auto& y) { return y.second > limit; });
    if (!failed && !contains(x.message, "no such command"))
      fail(why + "no instance has failed so often");
  } else {
    fail(why + "that is no reason");
  }
}

// -- workers ------------------------------------------------------------------

/// A worker that lives is not lost while it may come back, nor if nothing is wrong
/// with it, whatever has happened to the master that loses it. Something is wrong
/// with it, too, while it is connected to another master that was stopped, cannot
/// be reached, or does not know that it was replaced.
void Referee::judge_lost_worker(const MasterProcess& master,
                                const WorkerId& id) const {
  auto lives
      = std::any_of(workers_.begin(), workers_.end(), [&](const auto* x) {
          return x->config().id == id && x->up() && !x->ends();
        });
  if (!lives)
    return;
  const auto& config = master.cluster().config();
  const auto& known = master.cluster().state().workers;
  if (auto key = known.find(id))
    if (master.now() - known.at(*key).last_heartbeat < config.reconnect_timeout)
      fail(id.value + " is lost too early");
  // Long enough for a heartbeat, or to register again.
  auto since = queue_.now() - config.worker_timeout / 4 - 2 * slack;
  auto disturbed = [&](const auto* x) { return x->disturbance().after(since); };
  auto others_disturbed
      = std::any_of(masters_.begin(), masters_.end(), [&](const auto* x) {
          return x != &master && (disturbed(x) || x->leading());
        });
  auto undisturbed_since = [&](const auto* x, Instant when) {
    return !x->disturbance().after(when) && !network_.disturbance().after(when);
  };
  for (const auto* worker : workers_) {
    if (worker->config().id != id)
      continue;
    if (undisturbed_since(worker, since) && !others_disturbed)
      fail(id.value + " is lost, though nothing is wrong with it");
    // Whatever was wrong with it before.
    if (auto connected = worker->connected_since(master);
        connected && queue_.now() - *connected > slack
        && undisturbed_since(worker, *connected))
      fail(id.value + " is lost, though it is connected");
  }
}

/// Whoever gives up most workers at once has waited longer than for one.
void Referee::judge_outage(const MasterProcess& master, const Event& what) {
  constexpr Duration at_once = std::chrono::seconds{1};
  const auto& config = master.cluster().config();
  auto left = std::holds_alternative<WorkerLeft>(what)
              || std::holds_alternative<RegisterWorker>(what);
  while (!erased_workers_.empty()
         && erased_workers_.front().when + at_once < master.now())
    erased_workers_.pop_front();
  erased_workers_.push_back({master.now(), !left});
  if (left || config.outage_timeout == Duration{})
    return;
  auto lost = std::count_if(erased_workers_.begin(), erased_workers_.end(),
                            [](const auto& x) { return x.lost; });
  auto there = std::ssize(erased_workers_);
  for (const auto& [key, x] : master.cluster().state().workers.all()) {
    there += x.stored.state == WorkerState::DEAD ? 0 : 1;
    if (x.stored.state == WorkerState::DEAD
        && master.now() - x.last_heartbeat >= config.outage_timeout)
      return;
  }
  if (lost >= 3 && 2 * lost > there)
    fail(std::to_string(lost) + " of " + std::to_string(there)
         + " workers are lost at once, with nothing but an outage");
}

// -- leaders ------------------------------------------------------------------

void Referee::store_answered(const MasterProcess& master, Instant asked) const {
  if (queue_.now() - asked > hang_max && !master.disturbance().after(asked))
    fail(master.name() + " has waited for its store, and led on");
}

void Referee::check_that_recovery_ends(const MasterProcess& master) const {
  const auto& cluster = master.cluster();
  auto since = std::max(last_takeover_, directory_.hangs_until);
  if (cluster.status() == RecoveryState::RECOVERING
      && queue_.now() - since > cluster.config().recovery_timeout + slack
      && !master.disturbance().after(since))
    fail(master.name() + " recovers for ever");
}

void Referee::leader_resumes(const MasterProcess& leader,
                             Instant stopped) const {
  if (queue_.now() - stopped < hang_max)
    return;
  for (const auto* other : masters_)
    if (other != &leader && other->up() && !other->paused()
        && !other->disturbance().after(stopped))
      fail(leader.name() + " hung, and " + other->name()
           + " did not take its place");
}

// -- drivers ------------------------------------------------------------------

void Referee::judge_driver(const StoredDriver& x, const Event& what) {
  auto [i, is_new] = driver_numbers_.emplace(x.number, x.id);
  if (!is_new && i->second != x.id && drivers_[i->second].acknowledged)
    fail(x.id.value + " and " + i->second.value + " have the same number");
  i->second = x.id;
  if (x.relaunched_as)
    drivers_[*x.relaunched_as].before = x.id;
  if (!x.ended)
    return;
  const auto& model = drivers_[x.id];
  auto why = x.id.value + " ends as " + to_string(x.state) + ", but ";
  if (model.final_state && *model.final_state != x.state)
    fail(why + "it had ended as " + to_string(*model.final_state));
  if (model.final_state)
    return;
  stats_.count("driver's end: " + to_string(x.state));
  if (x.state == DriverState::FINISHED && !model.ended_well)
    fail(why + "no program of it has ended well");
  if (x.state == DriverState::FAILED && !model.ended_badly)
    fail(why + "no program of it has failed");
  auto kill_asked = holds_for(x.id, &DriverModel::kill_asked);
  if (x.state == DriverState::KILLED && !kill_asked)
    fail(why + "nobody has asked for that");
  if (x.state == DriverState::ERROR && x.description.supervise
      && x.message.value_or("").find("lost") != std::string::npos)
    fail(why + "it is supervised");
  if (x.state == DriverState::RELAUNCHING && !x.description.supervise)
    fail(why + "it is not supervised");
  if (is_report(what) && !kill_asked && !model.started_on)
    fail(why + "its worker is there, and has never been told to start it");
  if (x.state == DriverState::RELAUNCHING
      && holds_for(x.id, &DriverModel::kill_acknowledged))
    fail(why + "it was killed");
}

bool Referee::holds_for(const DriverId& id, bool DriverModel::*what) const {
  for (auto i = drivers_.find(id); i != drivers_.end();
       i = drivers_.find(*i->second.before)) {
    if (i->second.*what)
      return true;
    if (!i->second.before)
      break;
  }
  return false;
}

} // namespace stoker::simulation
