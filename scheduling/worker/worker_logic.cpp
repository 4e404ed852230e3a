#include "scheduling/worker/worker_logic.hpp"

#include <cassert>
#include <utility>

#include "scheduling/common/plain_name.hpp"

namespace stoker {

namespace {

/// How many orphan graces a worker may be dead before others take over what it
/// has left. Its programs are ended then, and its master has lost it.
constexpr int graces_until_abandoned = 4;

} // namespace

WorkerLogic::WorkerLogic(WorkerConfig config)
    : config_(std::move(config)), link_(config_.registration),
      directories_(config_.work_directory, config_.retained_directories,
                   config_.spark_directory),
      programs_(config_) {
  assert(validate(config_));
}

WorkerEffects WorkerLogic::step(Instant now, const WorkerEvent& what) {
  WorkerEffects result;
  // A worker that has stopped ignores late reports.
  if (phase_ == Phase::stopped)
    return result;
  auto step = begin_step(now, result);
  std::visit([&](const auto& x) { on(step, x); }, what);
  finish_step(step);
  return result;
}

WorkerEffects WorkerLogic::hear(Instant now, const MessageOrigin& from,
                                const MessageToWorker& what) {
  WorkerEffects result;
  if (phase_ == Phase::stopped)
    return result;
  auto step = begin_step(now, result);
  switch (link_.admit(from)) {
  case MasterLink::Admission::ignore:
    break;
  case MasterLink::Admission::search_on:
    act(step, link_.search_on(now, master_deposed));
    break;
  case MasterLink::Admission::accept:
    std::visit([&](const auto& x) { on(step, x); }, what);
    break;
  }
  finish_step(step);
  return result;
}

WorkerStep WorkerLogic::begin_step(Instant now, WorkerEffects& effects) {
  assert(now >= now_);
  now_ = now;
  return {now,         config_,      link_,
          master_url_, directories_, phase_ == Phase::stopping,
          effects};
}

void WorkerLogic::finish_step(WorkerStep& step) {
  stop_if_done(step);
  if (phase_ == Phase::stopped)
    return;
  auto next = earlier(link_.due(), deadlines_.heartbeat);
  next = earlier(next, deadlines_.find_abandoned);
  next = earlier(next, deadlines_.stop);
  next = earlier(next, deadlines_.end_serving);
  next = earlier(next, programs_.due(step));
  if (auto when = wake_up_.ask_for(next))
    step.add(WorkerWakeAt{*when});
}

// -- the master ---------------------------------------------------------------

void WorkerLogic::on(WorkerStep& step, const WorkerStarted&) {
  act(step, link_.start(step.now));
}

void WorkerLogic::on(WorkerStep& step, const MasterConnected& x) {
  act(step, link_.on(step.now, x));
}

void WorkerLogic::on(WorkerStep& step, const MasterConnectionFailed& x) {
  act(step, link_.on(step.now, x));
}

void WorkerLogic::on(WorkerStep& step, const MasterDisconnected& x) {
  if (link_.is_present(x))
    deadlines_.heartbeat.reset();
  act(step, link_.on(step.now, x));
}

void WorkerLogic::on(WorkerStep& step, const RegisterWorkerFailed& x) {
  abort(step, EndReason::refused,
        "the master refuses this worker: " + x.message);
}

void WorkerLogic::on(WorkerStep& step, const MasterInStandby& x) {
  act(step, link_.search_on(step.now, reason_of(x)));
}

void WorkerLogic::on(WorkerStep& step, const ReconnectWorker&) {
  act(step, link_.register_again(step.now));
}

void WorkerLogic::on(WorkerStep& step, const RegisteredWorker& x) {
  accepted_by(step, x.master_url);
  step.tell(WorkerLatestState{config_.id, programs_.executors().descriptions(),
                              programs_.drivers().ids(), directories_.used(),
                              x.question});
  programs_.drivers().report_restarts(step);
  repeat_that_it_leaves(step);
}

void WorkerLogic::on(WorkerStep& step, const MasterChanged& x) {
  accepted_by(step, x.master_url);
  step.tell(WorkerSchedulerStateResponse{
      config_.id, programs_.executors().descriptions(),
      programs_.drivers().ids(), directories_.used(), x.question});
  programs_.drivers().report_restarts(step);
  repeat_that_it_leaves(step);
}

/// The registration may have been on its way when it was asked to leave.
void WorkerLogic::repeat_that_it_leaves(WorkerStep& step) {
  if (phase_ != Phase::serving)
    step.tell(WorkerDecommissioning{config_.id, config_.endpoint});
}

void WorkerLogic::accepted_by(WorkerStep& step, const std::string& master_url) {
  link_.registered();
  master_url_ = master_url;
  deadlines_.heartbeat = step.now + config_.heartbeat_interval;
  // Before the report of what is left: if that lacked an executor whose end is
  // still unknown to the master, the executor would count as lost.
  programs_.report_all(step);
}

void WorkerLogic::on(WorkerStep& step, const DecommissionWorker&) {
  if (phase_ != Phase::serving)
    return;
  phase_ = Phase::decommissioned;
  deadlines_.end_serving = step.now + config_.decommission_timeout;
}

void WorkerLogic::act(WorkerStep& step, const MasterLink::Action& action) {
  if (const auto* connect = std::get_if<ConnectToMaster>(&action)) {
    step.add(*connect);
  } else if (std::holds_alternative<MasterLink::Register>(action)) {
    step.add(SendWorkerMessage{RegisterWorker{
        config_.id, config_.endpoint, config_.host, 0, config_.cores,
        config_.memory_mb, config_.resources,
        ConnectionStamp{config_.life, link_.connection()},
        phase_ != Phase::serving,
        !programs_.executors().empty() || !programs_.drivers().ids().empty(),
        versions_of(config_.spark_homes)}});
  } else if (const auto* over = std::get_if<MasterLink::GiveUp>(&action)) {
    abort(step, EndReason::master_lost, "no master: " + over->reason);
  }
}

// -- programs -----------------------------------------------------------------

template <class Event>
void WorkerLogic::on(WorkerStep& step, const Event& x) {
  programs_.on(step, x);
}

void WorkerLogic::on(WorkerStep& step, const ProgramsFound& x) {
  for (const auto& record : x.programs)
    if (record.driver && record.worker_id == config_.id && master_url_.empty())
      master_url_ = record.driver->master_url;
  programs_.on(step, x);
  if (!std::exchange(programs_found_, true))
    deadlines_.find_abandoned
        = step.now + graces_until_abandoned * config_.orphan_grace;
}

std::optional<OutputSource>
WorkerLogic::find_output(const OutputPosition& x) const {
  auto id = program_of(x);
  if (!id)
    return std::nullopt;
  OutputSource result;
  result.id = *id;
  if (const auto* executor = std::get_if<ExecutorId>(&*id)) {
    if (!is_plain_name(executor->app_id.value))
      return std::nullopt;
    result.directory = directories_.of(*executor);
    result.grows = programs_.executors().runs(*executor);
    result.waits = programs_.executors().is_read(*executor);
    return result;
  }
  const auto& driver = std::get<DriverId>(*id);
  if (!is_plain_name(driver.value) || x.attempt < 0)
    return std::nullopt;
  const auto& drivers = programs_.drivers();
  auto last = drivers.attempts(driver);
  auto active = drivers.is_active(driver);
  result.attempt = x.attempt > 0 ? x.attempt : last;
  result.directory = directories_.of(driver, result.attempt);
  result.grows = active
                 && (result.attempt > last
                     || (result.attempt == last && drivers.runs(driver)));
  result.waits = true;
  result.restarts = !result.grows && (active || result.attempt < last);
  return result;
}

// -- time ---------------------------------------------------------------------

void WorkerLogic::on(WorkerStep& step, const WorkerTick&) {
  wake_up_.came(step.now);
  act(step, link_.tick(step.now));
  if (phase_ == Phase::stopped)
    return;
  if (deadlines_.heartbeat && *deadlines_.heartbeat <= step.now) {
    step.tell(Heartbeat{config_.id, config_.endpoint});
    deadlines_.heartbeat = step.now + config_.heartbeat_interval;
  }
  programs_.tick(step);
  if (deadlines_.end_serving && *deadlines_.end_serving <= step.now) {
    deadlines_.end_serving.reset();
    programs_.end_serving(step);
  }
  if (deadlines_.find_abandoned && *deadlines_.find_abandoned <= step.now) {
    deadlines_.find_abandoned.reset();
    step.add(FindAbandoned{});
  }
}

// -- the end ------------------------------------------------------------------

void WorkerLogic::on(WorkerStep& step, const WorkerStopRequested&) {
  if (phase_ == Phase::stopping)
    return;
  phase_ = Phase::stopping;
  step.stopping = true;
  // Before anything ends, so that the master starts nothing here instead.
  step.tell(WorkerDecommissioning{config_.id, config_.endpoint});
  step.add(RememberLeaving{});
  programs_.stop_all(step);
  // Long enough for programs to be ended and their ends acknowledged.
  deadlines_.stop = step.now + config_.kill_grace + config_.repeat_after;
}

void WorkerLogic::abort(WorkerStep& step, EndReason reason, std::string error) {
  // No master is there to take the results: end in good order.
  step.add(RememberLeaving{});
  programs_.end_running(step);
  phase_ = Phase::stopped;
  step.add(StopWorker{reason, std::move(error)});
}

void WorkerLogic::stop_if_done(WorkerStep& step) {
  if (phase_ != Phase::decommissioned && phase_ != Phase::stopping)
    return;
  auto late = deadlines_.stop && *deadlines_.stop <= step.now;
  if (!late && !programs_.is_done(step))
    return;
  phase_ = Phase::stopped;
  step.tell(WorkerLeft{config_.id, config_.endpoint});
  step.add(StopWorker{EndReason::stopped, {}});
}

} // namespace stoker
