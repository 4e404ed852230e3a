#include "scheduling/master/worker_reports.hpp"

#include <set>
#include <utility>

#include "scheduling/master/drivers.hpp"
#include "scheduling/master/executors.hpp"
#include "scheduling/master/takeover.hpp"
#include "scheduling/master/workers.hpp"

namespace stoker {

namespace {

/// What of a report is known to the master.
struct Confirmed {
  std::set<ExecutorRef> executors;
  std::set<ExecutorId> releases;
  std::set<DriverKey> drivers;
};

/// An executor that serves and whose worker leaves has left its application. The
/// worker ends it, if it does not end before.
bool may_end_by_itself(const Worker& worker, const Application& app,
                       int exec_id) {
  const auto* ended = app.ended_executors.find(exec_id);
  return worker.stored.state == WorkerState::DECOMMISSIONED && ended != nullptr
         && ended->state == ExecutorState::DECOMMISSIONED;
}

/// Finds what is known, and tells the worker to end the rest.
Confirmed confirm(Step& step, WorkerKey key,
                  const std::vector<ExecutorDescription>& executors,
                  const std::vector<DriverId>& drivers) {
  const auto& state = step.state;
  const auto& worker = state.workers.at(key);
  const auto& programs = worker.programs;
  const auto& endpoint = worker.stored.endpoint;
  Confirmed result;
  for (const auto& x : executors) {
    if (programs.releases.contains({x.app_id, x.exec_id}))
      result.releases.insert({x.app_id, x.exec_id});
    auto app = state.applications.find(x.app_id);
    if (app
        && (programs.executors.contains({*app, x.exec_id})
            || take_back(step, *app, key, x)))
      result.executors.insert({*app, x.exec_id});
    else if (!app
             || !may_end_by_itself(worker, state.applications.at(*app),
                                   x.exec_id))
      step.send(endpoint,
                KillExecutor{step.config().master_url, x.app_id, x.exec_id});
  }
  for (const auto& id : drivers) {
    auto driver = state.drivers.find(id);
    auto known = driver && programs.drivers.contains(*driver);
    if (known)
      result.drivers.insert(*driver);
    if (!known || state.drivers.at(*driver).stored.kill_requested)
      step.send(endpoint, KillDriver{id});
  }
  return result;
}

/// The worker was away when applications finished that it was given executors of. It is told
/// of the end of the others, too, when all of their executors there were lost meanwhile: it
/// keeps what they wrote.
void repeat_ends(Step& step, WorkerKey key,
                 const std::vector<AppId>& applications) {
  auto& state = step.state;
  for (const auto& id : applications)
    if (auto app = state.applications.find(id))
      state.applications.edit(*app).executors.note_worker(key);
    else
      step.send(state.workers.at(key).stored.endpoint, ApplicationFinished{id});
}

/// Gives up what the worker was believed to run and does not. A driver that it had begun it
/// would have told of, as running or as ended: the order to start it has not arrived.
void drop_unconfirmed(Step& step, WorkerKey key, const Confirmed& confirmed) {
  const auto programs = step.state.workers.at(key).programs;
  for (const auto& id : programs.releases)
    if (!confirmed.releases.contains(id))
      release_held(step, id);
  for (const auto& ref : programs.executors)
    if (!confirmed.executors.contains(ref))
      lose_executor(step, ref, "the worker came back without it",
                    Room::free_now);
  for (auto driver : programs.drivers)
    if (!confirmed.drivers.contains(driver))
      return_driver(step, driver);
}

} // namespace

void reconcile(Step& step, const WorkerLatestState& report) {
  auto key = step.state.workers.find_present(report.id);
  // Since another question was put, work may have been sent that this report
  // cannot mention.
  if (!key || !step.state.workers.take_answer(*key, report.question))
    return;
  auto& worker = step.state.workers.edit(*key);
  auto confirmed = confirm(step, *key, report.executors, report.driver_ids);
  repeat_ends(step, *key, report.applications);
  if (!worker.report_due)
    return;
  drop_unconfirmed(step, *key, confirmed);
  if (worker.stored.state == WorkerState::UNKNOWN)
    set_state(step, *key, WorkerState::ALIVE);
  worker.report_due.reset();
  step.state.recovery.answered(*key);
  if (worker.stored.state == WorkerState::ALIVE)
    note_worker_is_there(step);
  step.schedule_pass();
}

} // namespace stoker
