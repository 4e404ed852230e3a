#include "scheduling/worker/worker_executors.hpp"

#include <algorithm>
#include <utility>

#include "scheduling/common/instance_input.hpp"
#include "scheduling/common/plain_name.hpp"
#include "scheduling/common/wake_up.hpp"
#include "scheduling/worker/ended_ago.hpp"
#include "scheduling/worker/program_command.hpp"
#include "scheduling/worker/worker_texts.hpp"

namespace stoker {

namespace {

ExecutorId id_of(const ExecutorDescription& x) {
  return {x.app_id, x.exec_id};
}

} // namespace

// -- start and end ------------------------------------------------------------

void WorkerExecutors::launch(WorkerStep& step, const LaunchExecutor& x) {
  ExecutorId id{x.app_id, x.exec_id};
  auto [i, added] = executors_.try_emplace(id);
  if (!added)
    return;
  auto& executor = i->second;
  executor.description
      = {x.app_id, x.exec_id, x.cores, x.memory_mb, ExecutorState::LAUNCHING};
  executor.index = x.index;
  if (step.stopping)
    return set_state(step, executor, ExecutorState::KILLED, worker_stops);
  if (!is_plain_name(x.app_id.value))
    return set_state(step, executor, ExecutorState::FAILED,
                     "the application's id cannot name a directory");
  step.directories.use(x.app_id);
  auto directory = step.directories.of(id);
  auto program_directory = WorkDirectories::program_directory(directory);
  auto command = executor_command(step, x, program_directory);
  if (!command)
    return set_state(step, executor, ExecutorState::FAILED,
                     command.error().message);
  executor.is_read = x.app_desc.reads_output.value_or(false);
  auto input = x.app_desc.instances && x.index
               && reads_input(*x.app_desc.instances, *x.index);
  step.add(StartProcess{id, *std::move(command), std::move(directory),
                        std::move(program_directory), record_of(step, executor),
                        executor.is_read, executor_files(x), input});
}

void WorkerExecutors::adopt(WorkerStep& step, const ExecutorRecord& x) {
  ExecutorId id{x.app_id, x.exec_id};
  auto [i, added] = executors_.try_emplace(id);
  if (!added)
    return;
  auto& executor = i->second;
  executor.description
      = {x.app_id, x.exec_id, x.cores, x.memory_mb, ExecutorState::LAUNCHING};
  executor.index = x.index;
  executor.kill_requested = x.kill_requested;
  executor.is_read = x.reads_output;
  step.directories.use(x.app_id);
  step.add(AdoptProcess{id, step.directories.of(id)});
  // The dead worker may not have come to end it.
  if (x.kill_requested)
    step.add(EndProcess{id});
}

void WorkerExecutors::kill(WorkerStep& step, const ExecutorId& id) {
  if (auto* executor = find(id))
    request_kill(step, *executor);
}

void WorkerExecutors::kill_all_of(WorkerStep& step, const AppId& id) {
  for (auto i = executors_.begin(); i != executors_.end();) {
    auto& [executor_id, executor] = *i++;
    if (executor_id.app_id != id)
      continue;
    if (!executor.kill_requested)
      request_kill(step, executor);
    // Nobody is there to read.
    executor.is_read = false;
    forget_if_done(step, executor_id);
  }
}

void WorkerExecutors::request_kill(WorkerStep& step, Executor& executor) {
  const auto& x = executor.description;
  // Stored, so that a worker that continues after this one's death reports the
  // end as KILLED.
  if (!std::exchange(executor.kill_requested, true) && !is_finished(x.state))
    step.add(RememberProgram{record_of(step, executor)});
  step.add(EndProcess{id_of(x)});
}

void WorkerExecutors::end_all(WorkerStep& step) {
  for (const auto& [id, executor] : executors_)
    step.add(EndProcess{id});
}

void WorkerExecutors::end_serving(WorkerStep& step) {
  for (auto& [id, executor] : executors_)
    if (!executor.index && !executor.kill_requested)
      request_kill(step, executor);
}

/// Whether its end is no failure, whatever it looks like.
bool WorkerExecutors::was_to_end(const WorkerStep& step,
                                 const Executor& executor) {
  return executor.kill_requested || step.stopping;
}

// -- processes ----------------------------------------------------------------

bool WorkerExecutors::on(WorkerStep& step, const ExecutorId& id,
                         const ProcessStarted&) {
  auto* executor = find(id);
  if (executor != nullptr)
    set_state(step, *executor, ExecutorState::RUNNING, std::nullopt);
  return executor != nullptr;
}

bool WorkerExecutors::on(WorkerStep& step, const ExecutorId& id,
                         const ProcessFailed& x) {
  auto* executor = find(id);
  if (executor != nullptr)
    set_state(step, *executor,
              was_to_end(step, *executor) ? ExecutorState::KILLED
                                          : ExecutorState::FAILED,
              x.message, x.exit_status);
  return executor != nullptr;
}

bool WorkerExecutors::on(WorkerStep& step, const ExecutorId& id,
                         const ProcessEnded& x) {
  auto* executor = find(id);
  if (executor == nullptr)
    return false;
  auto status = exit_status_of(x);
  if (executor->kill_requested)
    set_state(step, *executor, ExecutorState::KILLED, killed_on_request, status,
              x.use, x.ago);
  else if (step.stopping)
    set_state(step, *executor, ExecutorState::KILLED, worker_stops, status,
              x.use, x.ago);
  else
    set_state(step, *executor, ExecutorState::EXITED, format_end(x), status,
              x.use, x.ago);
  return true;
}

bool WorkerExecutors::on(WorkerStep& step, const ExecutorId& id,
                         const ProcessLost& x) {
  auto* executor = find(id);
  if (executor != nullptr)
    set_state(step, *executor,
              was_to_end(step, *executor) ? ExecutorState::KILLED
                                          : ExecutorState::LOST,
              x.message);
  return executor != nullptr;
}

bool WorkerExecutors::on(WorkerStep& step, const ExecutorId& id,
                         const ProcessNotFound&) {
  auto* executor = find(id);
  // Not to be started here now: the master decides where.
  if (executor != nullptr)
    set_state(step, *executor,
              was_to_end(step, *executor) ? ExecutorState::KILLED
                                          : ExecutorState::LOST,
              "its worker was killed before it was started");
  return executor != nullptr;
}

// -- reports ------------------------------------------------------------------

void WorkerExecutors::set_state(WorkerStep& step, Executor& executor,
                                ExecutorState state,
                                std::optional<std::string> message,
                                std::optional<int> exit_status,
                                const std::optional<ResourceUse>& use,
                                Duration ago) {
  auto& description = executor.description;
  description.state = state;
  executor.unacknowledged
      = ExecutorStateChanged{description.app_id, description.exec_id, state,
                             std::move(message), exit_status,         use};
  if (is_finished(state))
    executor.ended = step.now - ago;
  // Its application does not read what is left of a lost executor.
  if (state == ExecutorState::LOST)
    executor.is_read = false;
  executor.reported_at = step.now;
  if (step.link.is_registered())
    report(step, executor);
}

void WorkerExecutors::report(WorkerStep& step, Executor& executor) {
  executor.reported_at = step.now;
  auto message = *executor.unacknowledged;
  message.ended_ago_ms = ended_ago_ms(executor.ended, step.now);
  step.add(AskMaster{std::move(message)});
}

void WorkerExecutors::acknowledge(WorkerStep& step,
                                  const StateAcknowledged& x) {
  auto i = executors_.find(x.id);
  if (i == executors_.end() || !i->second.unacknowledged
      || i->second.unacknowledged->state != x.state)
    return;
  i->second.unacknowledged.reset();
  forget_if_done(step, x.id);
}

void WorkerExecutors::output_taken(WorkerStep& step, const ExecutorId& id) {
  auto i = executors_.find(id);
  if (i == executors_.end() || !is_finished(i->second.description.state))
    return;
  auto was_read = std::exchange(i->second.is_read, false);
  // The application reports this once; a successor reads it from the record.
  if (was_read && i->second.unacknowledged)
    step.add(RememberProgram{record_of(step, i->second)});
  forget_if_done(step, id);
}

void WorkerExecutors::forget_if_done(WorkerStep& step, const ExecutorId& id) {
  auto i = executors_.find(id);
  const auto& x = i->second;
  if (!is_finished(x.description.state) || x.unacknowledged || x.is_read)
    return;
  step.add(ForgetProgram{id});
  executors_.erase(i);
}

void WorkerExecutors::report_all(WorkerStep& step) {
  for (auto& [id, executor] : executors_)
    if (executor.unacknowledged)
      report(step, executor);
}

void WorkerExecutors::report_due(WorkerStep& step) {
  if (!step.link.is_registered())
    return;
  for (auto& [id, executor] : executors_)
    if (executor.unacknowledged
        && executor.reported_at + step.config.repeat_after <= step.now)
      report(step, executor);
}

std::optional<Instant> WorkerExecutors::due(const WorkerConfig& config) const {
  std::optional<Instant> result;
  for (const auto& [id, executor] : executors_)
    if (executor.unacknowledged)
      result = earlier(result, executor.reported_at + config.repeat_after);
  return result;
}

// -- views --------------------------------------------------------------------

std::vector<ExecutorDescription> WorkerExecutors::descriptions() const {
  std::vector<ExecutorDescription> result;
  for (const auto& [id, executor] : executors_)
    if (!is_finished(executor.description.state) || executor.unacknowledged)
      result.push_back(executor.description);
  return result;
}

std::set<AppId> WorkerExecutors::applications() const {
  std::set<AppId> result;
  for (const auto& [id, executor] : executors_)
    result.insert(id.app_id);
  return result;
}

bool WorkerExecutors::have_all_finished() const {
  return std::all_of(executors_.begin(), executors_.end(), [](const auto& x) {
    return is_finished(x.second.description.state);
  });
}

bool WorkerExecutors::runs(const ExecutorId& id) const {
  return find(id) != nullptr;
}

bool WorkerExecutors::runs_any_of(const AppId& id) const {
  return std::any_of(executors_.begin(), executors_.end(), [&](const auto& x) {
    return x.first.app_id == id && !is_finished(x.second.description.state);
  });
}

bool WorkerExecutors::is_read(const ExecutorId& id) const {
  auto i = executors_.find(id);
  return i != executors_.end() && i->second.is_read;
}

WorkerExecutors::Executor* WorkerExecutors::find(const ExecutorId& id) {
  return const_cast<Executor*>(std::as_const(*this).find(id));
}

const WorkerExecutors::Executor*
WorkerExecutors::find(const ExecutorId& id) const {
  auto i = executors_.find(id);
  return i == executors_.end() || is_finished(i->second.description.state)
             ? nullptr
             : &i->second;
}

ProgramRecord WorkerExecutors::record_of(const WorkerStep& step,
                                         const Executor& executor) {
  const auto& x = executor.description;
  return {step.config.id,
          ExecutorRecord{x.app_id, x.exec_id, x.cores, x.memory_mb,
                         executor.kill_requested, executor.index,
                         executor.is_read},
          std::nullopt};
}

} // namespace stoker
