#include "scheduling/master/worker_reports.hpp"

#include <set>
#include <utility>

#include "scheduling/master/drivers.hpp"
#include "scheduling/master/executors.hpp"
#include "scheduling/master/workers.hpp"

namespace stoker {

namespace {

/// What of a report is known to the master.
struct Confirmed {
  std::set<ExecutorRef> executors;
  std::set<ExecutorId> releases;
  std::set<DriverKey> drivers;
};

/// Finds what is known, and tells the worker to end the rest.
Confirmed confirm(Step& step, const Worker& worker,
                  const std::vector<ExecutorDescription>& executors,
                  const std::vector<DriverId>& drivers) {
  const auto& state = step.state;
  const auto& programs = worker.programs;
  const auto& endpoint = worker.stored.endpoint;
  Confirmed result;
  for (const auto& x : executors) {
    if (programs.releases.contains({x.app_id, x.exec_id}))
      result.releases.insert({x.app_id, x.exec_id});
    auto app = state.applications.find(x.app_id);
    if (app && programs.executors.contains({*app, x.exec_id}))
      result.executors.insert({*app, x.exec_id});
    else
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

/// Gives up what the worker was believed to run and does not.
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
      lose_driver(step, driver, Room::free_now);
}

} // namespace

void reconcile(Step& step, const WorkerId& id,
               const std::vector<ExecutorDescription>& executors,
               const std::vector<DriverId>& drivers) {
  auto key = step.state.workers.find_present(id);
  if (!key)
    return;
  auto& worker = step.state.workers.edit(*key);
  auto confirmed = confirm(step, worker, executors, drivers);
  auto stale = std::exchange(worker.report_may_be_stale, false);
  worker.report_pending = false;
  if (!worker.report_due)
    return;
  if (stale) {
    // It answers the first of two registrations. What the worker was given in
    // between it may have got only after it sent this.
    worker.report_pending = true;
    return step.send(worker.stored.endpoint,
                     RegisteredWorker{step.config().master_url, true});
  }
  drop_unconfirmed(step, *key, confirmed);
  if (worker.stored.state == WorkerState::UNKNOWN)
    set_state(step, *key, WorkerState::ALIVE);
  worker.report_due.reset();
  step.state.recovery.answered(*key);
  step.schedule_pass();
}

} // namespace stoker
