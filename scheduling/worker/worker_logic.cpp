#include "scheduling/worker/worker_logic.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "scheduling/common/plain_name.hpp"
#include "scheduling/worker/resource_environment.hpp"

namespace stoker {

namespace {

std::string key_of(const AppId& app_id, int exec_id) {
  return to_string(ExecutorId{app_id, exec_id});
}

} // namespace

std::optional<std::string> validate(const WorkerConfig& config) {
  if (config.cores <= 0)
    return "a worker needs at least 1 core, not "
           + std::to_string(config.cores);
  if (config.memory_mb <= 0)
    return "a worker needs at least 1 MB of memory, not "
           + std::to_string(config.memory_mb);
  if (config.work_directory.empty())
    return "a worker needs a work directory";
  if (config.heartbeat_interval <= Duration::zero())
    return "the heartbeat interval must be greater than 0";
  if (config.retained_directories < 0)
    return "stoker.worker.retainedDirectories must not be negative";
  return std::nullopt;
}

WorkerLogic::WorkerLogic(WorkerConfig config)
    : config_(std::move(config)), registration_(config_.registration) {
  assert(!validate(config_));
}

WorkerEffects WorkerLogic::step(Instant now, const WorkerEvent& what,
                                LeaderEpoch from) {
  assert(now >= now_);
  now_ = now;
  auto outdated = from != LeaderEpoch{} && from < epoch_;
  epoch_ = std::max(epoch_, from);
  // Late messages and reports of a worker that has ended mean nothing.
  if (!stopped_) {
    if (outdated)
      act(registration_.failed(now_, "the master has been replaced"));
    else
      std::visit([this](const auto& x) { on(x); }, what);
    stop_if_done();
  }
  if (!stopped_)
    arm();
  return std::exchange(out_, {});
}

// -- the master ---------------------------------------------------------------

void WorkerLogic::on(const WorkerStarted&) {
  act(registration_.start(now_));
}

void WorkerLogic::on(const MasterConnected&) {
  act(registration_.connected(now_));
}

void WorkerLogic::on(const MasterConnectionFailed& x) {
  act(registration_.failed(now_, x.reason));
}

void WorkerLogic::on(const MasterDisconnected&) {
  heartbeat_at_.reset();
  act(registration_.failed(now_, "the connection to the master broke"));
}

void WorkerLogic::on(const RegisterWorkerFailed& x) {
  abort("the master refuses this worker: " + x.message);
}

void WorkerLogic::on(const MasterInStandby&) {
  act(registration_.failed(now_, "the master is STANDBY"));
}

void WorkerLogic::on(const ReconnectWorker&) {
  act(registration_.register_again(now_));
}

void WorkerLogic::on(const RegisteredWorker& x) {
  registration_.registered();
  master_url_ = x.master_url;
  heartbeat_at_ = now_ + config_.heartbeat_interval;
  // First what ended, then what is left: a report that lacks an executor whose
  // end is still unknown to the master would make it count as lost.
  say_again();
  tell(WorkerLatestState{config_.id, executor_descriptions(), driver_ids()});
  if (decommissioned_ || stopping_)
    tell(WorkerDecommissioning{config_.id, config_.endpoint});
}

void WorkerLogic::on(const MasterChanged& x) {
  registration_.registered();
  master_url_ = x.master_url;
  heartbeat_at_ = now_ + config_.heartbeat_interval;
  say_again();
  tell(WorkerSchedulerStateResponse{config_.id, executor_descriptions(),
                                    driver_ids()});
}

void WorkerLogic::on(const DecommissionWorker&) {
  if (!std::exchange(decommissioned_, true))
    out_.push_back(RememberLeaving{});
}

void WorkerLogic::act(const Registration::Action& action) {
  if (const auto* connect = std::get_if<Registration::Connect>(&action)) {
    out_.push_back(ConnectToMaster{connect->master});
  } else if (std::holds_alternative<Registration::Register>(action)) {
    out_.push_back(SendWorkerMessage{
        RegisterWorker{config_.id, config_.endpoint, config_.host, 0,
                       config_.cores, config_.memory_mb, config_.resources}});
  } else if (const auto* over = std::get_if<Registration::GiveUp>(&action)) {
    abort("no master: " + over->reason);
  }
}

void WorkerLogic::abort(std::string reason) {
  // Nobody is left who would take the results: end in good order.
  out_.push_back(RememberLeaving{});
  for (const auto& [key, executor] : executors_)
    out_.push_back(EndProcess{key});
  for (const auto& [id, driver] : drivers_)
    if (driver.runs)
      out_.push_back(EndProcess{to_string(id)});
  stopped_ = true;
  out_.push_back(StopWorker{std::move(reason)});
}

void WorkerLogic::tell(WorkerMessage message) {
  if (registration_.phase() == Registration::Phase::registered)
    out_.push_back(SendWorkerMessage{std::move(message)});
}

void WorkerLogic::say_again() {
  for (auto& [key, executor] : executors_)
    if (executor.unacknowledged) {
      executor.said_at = now_;
      out_.push_back(AskMaster{*executor.unacknowledged});
    }
  for (const auto& [id, driver] : drivers_)
    if (driver.ended)
      tell(*driver.ended);
}

std::vector<ExecutorDescription> WorkerLogic::executor_descriptions() const {
  std::vector<ExecutorDescription> result;
  for (const auto& [key, executor] : executors_)
    result.push_back(executor.description);
  return result;
}

std::vector<DriverId> WorkerLogic::driver_ids() const {
  std::vector<DriverId> result;
  for (const auto& [id, driver] : drivers_)
    if (!driver.ended)
      result.push_back(id);
  return result;
}

// -- executors ----------------------------------------------------------------

void WorkerLogic::on(const LaunchExecutor& x) {
  auto key = key_of(x.app_id, x.exec_id);
  if (executors_.contains(key))
    return;
  auto& executor = executors_[key];
  executor.description
      = {x.app_id, x.exec_id, x.cores, x.memory_mb, ExecutorState::LAUNCHING};
  if (stopping_)
    return report(executor, ExecutorState::KILLED, "the worker stops",
                  std::nullopt);
  if (!is_plain_name(x.app_id.value))
    return report(executor, ExecutorState::FAILED,
                  "the application's id cannot name a directory", std::nullopt);
  auto directory = executor_directory(x.app_id, x.exec_id);
  // It may have looked as if the application had ended.
  std::erase(retired_, config_.work_directory + '/' + x.app_id.value);
  auto command = x.app_desc.command;
  auto environment = config_.environment;
  for (const auto& [name, value] : command.environment)
    environment[name] = value;
  environment["STOKER_MASTER"]
      = config_.masters.empty() ? master_url_ : config_.masters;
  environment["STOKER_APP_ID"] = x.app_id.value;
  environment["STOKER_EXECUTOR_ID"] = std::to_string(x.exec_id);
  environment["STOKER_CORES"] = std::to_string(x.cores);
  environment["STOKER_MEMORY_MB"] = std::to_string(x.memory_mb);
  environment["STOKER_WORKER_ID"] = config_.id.value;
  environment["STOKER_WORK_DIR"] = directory;
  if (x.index)
    environment["STOKER_INDEX"] = std::to_string(*x.index);
  if (x.app_desc.instances)
    environment["STOKER_COUNT"] = std::to_string(x.app_desc.instances->count);
  add_resources(x.resources, environment);
  command.environment = std::move(environment);
  out_.push_back(StartProcess{key, std::move(command), std::move(directory),
                              record_of(executor)});
}

void WorkerLogic::on(const KillExecutor& x) {
  if (auto* executor = find_executor(key_of(x.app_id, x.exec_id)))
    request_kill(*executor);
}

void WorkerLogic::on(const ApplicationFinished& x) {
  for (auto& [key, executor] : executors_)
    if (executor.description.app_id == x.id && !executor.kill_requested)
      request_kill(executor);
  if (is_plain_name(x.id.value))
    retire_directory(config_.work_directory + '/' + x.id.value);
}

void WorkerLogic::request_kill(Executor& executor) {
  const auto& x = executor.description;
  // Remembered, so that its end is known for what it is after a restart.
  if (!std::exchange(executor.kill_requested, true) && !is_finished(x.state))
    out_.push_back(RememberProgram{record_of(executor)});
  out_.push_back(EndProcess{key_of(x.app_id, x.exec_id)});
}

void WorkerLogic::on(const StateAcknowledged& x) {
  auto i = executors_.find(key_of(x.app_id, x.exec_id));
  if (i == executors_.end() || !i->second.unacknowledged
      || i->second.unacknowledged->state != x.state)
    return;
  i->second.unacknowledged.reset();
  if (!is_finished(x.state))
    return;
  out_.push_back(ForgetProgram{i->first});
  executors_.erase(i);
}

void WorkerLogic::report(Executor& executor, ExecutorState state,
                         std::optional<std::string> message,
                         std::optional<int> exit_status) {
  auto& description = executor.description;
  description.state = state;
  executor.unacknowledged
      = ExecutorStateChanged{description.app_id, description.exec_id, state,
                             std::move(message), exit_status};
  executor.said_at = now_;
  if (registration_.phase() == Registration::Phase::registered)
    out_.push_back(AskMaster{*executor.unacknowledged});
}

WorkerLogic::Executor* WorkerLogic::find_executor(const std::string& key) {
  auto i = executors_.find(key);
  return i == executors_.end() || is_finished(i->second.description.state)
             ? nullptr
             : &i->second;
}

// -- processes ----------------------------------------------------------------

void WorkerLogic::on(const ProcessStarted& x) {
  if (auto* executor = find_executor(x.key))
    report(*executor, ExecutorState::RUNNING, std::nullopt, std::nullopt);
  else if (auto* driver = find_driver(x.key); driver && !driver->ended) {
    driver->state = DriverState::RUNNING;
    tell(DriverStateChanged{DriverId{x.key}, DriverState::RUNNING, std::nullopt,
                            std::nullopt});
  }
}

void WorkerLogic::on(const ProcessFailed& x) {
  if (auto* executor = find_executor(x.key))
    report(*executor,
           executor->kill_requested ? ExecutorState::KILLED
                                    : ExecutorState::FAILED,
           x.message, x.exit_status);
  else if (find_driver(x.key))
    end_driver(DriverId{x.key}, DriverState::ERROR, x.message, x.exit_status);
  else
    forget_foreign_program(x.key);
}

void WorkerLogic::on(const ProcessEnded& x) {
  auto status = x.signal ? 128 + *x.signal : x.exit_code.value_or(0);
  auto message
      = x.signal ? "command was ended by signal " + std::to_string(*x.signal)
                 : "command exited with code " + std::to_string(status);
  if (auto* executor = find_executor(x.key)) {
    if (executor->kill_requested)
      report(*executor, ExecutorState::KILLED, "killed on request", status);
    else if (stopping_)
      report(*executor, ExecutorState::KILLED, "the worker stops", status);
    else
      report(*executor, ExecutorState::EXITED, message, status);
  } else if (find_driver(x.key)) {
    driver_process_over(DriverId{x.key}, status, message);
  } else {
    forget_foreign_program(x.key);
  }
}

void WorkerLogic::on(const ProcessLost& x) {
  if (auto* executor = find_executor(x.key))
    report(*executor,
           executor->kill_requested || stopping_ ? ExecutorState::KILLED
                                                 : ExecutorState::LOST,
           x.message, std::nullopt);
  else if (find_driver(x.key))
    driver_process_over(DriverId{x.key}, std::nullopt, x.message);
  else
    forget_foreign_program(x.key);
}

// -- time ---------------------------------------------------------------------

void WorkerLogic::on(const WorkerTick&) {
  if (armed_for_ && *armed_for_ <= now_)
    armed_for_.reset();
  act(registration_.tick(now_));
  if (heartbeat_at_ && *heartbeat_at_ <= now_) {
    tell(Heartbeat{config_.id, config_.endpoint});
    heartbeat_at_ = now_ + config_.heartbeat_interval;
  }
  auto registered = registration_.phase() == Registration::Phase::registered;
  for (auto& [key, executor] : executors_)
    if (registered && executor.unacknowledged
        && executor.said_at + config_.repeat_after <= now_) {
      executor.said_at = now_;
      out_.push_back(AskMaster{*executor.unacknowledged});
    }
  for (auto& [id, driver] : drivers_)
    if (driver.restart_at && *driver.restart_at <= now_)
      start_driver(id);
  if (find_abandoned_at_ && *find_abandoned_at_ <= now_) {
    find_abandoned_at_.reset();
    out_.push_back(FindAbandoned{});
  }
}

void WorkerLogic::arm() {
  std::optional<Instant> next = registration_.due();
  auto consider = [&](const std::optional<Instant>& when) {
    if (when && (!next || *when < *next))
      next = when;
  };
  consider(heartbeat_at_);
  consider(find_abandoned_at_);
  consider(stop_at_the_latest_);
  for (const auto& [id, driver] : drivers_)
    consider(driver.restart_at);
  if (registration_.phase() == Registration::Phase::registered)
    for (const auto& [key, executor] : executors_)
      if (executor.unacknowledged)
        consider(executor.said_at + config_.repeat_after);
  if (!next || (armed_for_ && *armed_for_ <= *next))
    return;
  armed_for_ = next;
  out_.push_back(WorkerWakeAt{*next});
}

// -- the end ------------------------------------------------------------------

void WorkerLogic::on(const WorkerStopRequested&) {
  if (std::exchange(stopping_, true))
    return;
  // Before anything ends, so that the master starts nothing here instead.
  tell(WorkerDecommissioning{config_.id, config_.endpoint});
  out_.push_back(RememberLeaving{});
  for (const auto& [key, executor] : executors_)
    out_.push_back(EndProcess{key});
  for (auto& [id, driver] : drivers_) {
    driver.restart_at.reset();
    out_.push_back(EndProcess{to_string(id)});
    if (!driver.runs && !driver.ended)
      end_driver(id, DriverState::KILLED, "the worker stops", std::nullopt);
  }
  // Long enough for programs to be ended and their ends acknowledged.
  stop_at_the_latest_ = now_ + config_.kill_grace + config_.repeat_after;
}

bool WorkerLogic::runs_anything() const {
  auto drives = std::any_of(drivers_.begin(), drivers_.end(),
                            [](const auto& x) { return !x.second.ended; });
  if (registration_.phase() == Registration::Phase::registered)
    return drives || !executors_.empty();
  // Nobody is there to acknowledge an end.
  return drives
         || std::any_of(executors_.begin(), executors_.end(),
                        [](const auto& x) {
                          return !is_finished(x.second.description.state);
                        });
}

void WorkerLogic::stop_if_done() {
  if (stopped_ || !(stopping_ || decommissioned_))
    return;
  auto late = stop_at_the_latest_ && *stop_at_the_latest_ <= now_;
  if (runs_anything() && !late)
    return;
  stopped_ = true;
  out_.push_back(StopWorker{});
}

void WorkerLogic::retire_directory(std::string path) {
  if (std::find(retired_.begin(), retired_.end(), path) != retired_.end())
    return;
  retired_.push_back(std::move(path));
  if (retired_.size()
      > static_cast<std::size_t>(config_.retained_directories)) {
    out_.push_back(RemoveDirectory{std::move(retired_.front())});
    retired_.pop_front();
  }
}

bool WorkerLogic::has(const RequestLog& request) const {
  if (request.executor)
    return executors_.contains(to_string(*request.executor));
  return request.driver && drivers_.contains(*request.driver);
}

std::optional<std::string>
WorkerLogic::log_directory(const RequestLog& request) const {
  if (request.executor && is_plain_name(request.executor->app_id.value))
    return executor_directory(request.executor->app_id,
                              request.executor->exec_id);
  if (!request.driver || !is_plain_name(request.driver->value))
    return std::nullopt;
  auto i = drivers_.find(*request.driver);
  return driver_directory(*request.driver,
                          i == drivers_.end() ? 1 : i->second.attempts);
}

} // namespace stoker
