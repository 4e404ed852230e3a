#include "scheduling/jobs/tasks.hpp"

#include "scheduling/common/exit_status.hpp"
#include "scheduling/jobs/barrier_stages.hpp"
#include "scheduling/jobs/jobs.hpp"
#include "scheduling/jobs/offers.hpp"
#include "scheduling/jobs/stages.hpp"

namespace stoker {

namespace {

/// The stage of an attempt that counts; null: it does not.
Stage* stage_of_live(JobsState& state, const TaskAttempt& id) {
  auto found = state.stages.find(id.stage);
  if (found == state.stages.end())
    return nullptr;
  const auto& stage = found->second;
  return stage.tasks && stage.tasks->is_live(id.task, id.attempt)
             ? &state.stages.change(id.stage)
             : nullptr;
}

/// "task 3 of stage 'words'"
std::string name_of(const Stage& stage, int task) {
  return "task " + std::to_string(task) + " of stage '" + stage.spec.name + "'";
}

/// It can be begun again.
void made_pending(Stage& stage) {
  stage.running_cores -= stage.spec.cores;
  stage.looked_everywhere = false;
}

void accept(JobStep& step, Stage& stage, const TaskAttempt& id,
            std::optional<std::string> result) {
  step.add(AcceptResult{*stage.jobs.begin(), id, std::move(result)});
}

void finish(JobStep& step, Stage& stage, const JobExecutor& executor,
            const TaskStatus& x) {
  const auto& id = x.id;
  auto& tasks = *stage.tasks;
  stage.running_cores -= stage.spec.cores;
  stage.run_times.add(Duration{x.run_ms});
  step.state.full_disks.found_room(executor.worker_id);
  if (auto other = tasks.finish(id.task, id.attempt)) {
    stage.running_cores -= stage.spec.cores;
    TaskAttempt useless{id.stage, id.task, other->attempt};
    step.state.executors.withdraw(other->exec_id, useless);
    step.add(EndTask{other->exec_id, useless, "another attempt was quicker"});
  }
  if (stage.outputs)
    stage.outputs->add(id, executor.server);
  if (stage.barrier) {
    finish_barrier_task(step, stage, executor, x);
  } else if (stage.outputs) {
    // Who reads it is told of it later.
  } else if (x.result_is_stored) {
    stage.on_their_way[id.task] = {id.attempt, executor.server};
    step.add(FetchResult{id, step.state.servers[executor.server].address});
  } else {
    accept(step, stage, id, x.result);
  }
  if (stage.is_complete())
    complete_stage(step, stage);
}

/// The task has failed too often, at last by `x`.
void give_up(JobStep& step, const Stage& stage, const JobExecutor& executor,
             const TaskStatus& x, int failures) {
  fail_jobs_of(
      step, stage,
      name_of(stage, x.id.task) + " failed "
          + (failures == 1 ? "" : std::to_string(failures) + " times, at last ")
          + "on " + executor.host + " (executor "
          + std::to_string(executor.exec_id) + "): " + x.error,
      &x);
}

/// The failure of a task may exclude the executor, or its host.
void note_failure(JobStep& step, Stage& stage, const JobExecutor& executor) {
  const auto& limits = step.state.config.exclusion;
  if (!limits.enabled)
    return;
  stage.exclusions.add_failure(step.now,
                               {limits.stage_failures_per_executor_max,
                                limits.stage_executors_per_host_max,
                                {}},
                               executor.exec_id, executor.host);
  step.state.exclusions.add_failure(
      step.now,
      {limits.application_failures_per_executor_max,
       limits.application_executors_per_host_max, limits.timeout},
      executor.exec_id, executor.host);
  // Tasks of other stages may have waited for that one.
  for (auto active : step.state.active)
    step.state.stages.change(active).looked_everywhere = false;
}

/// Its whole attempt at a barrier stage ends with it.
void fail_together(JobStep& step, Stage& stage, const JobExecutor& executor,
                   const TaskStatus& x, Blame blame) {
  fail_barrier_attempt(step, stage,
                       {x.id, executor.exec_id, executor.host, x.error,
                        x.last_lines, x.exit_status, blame});
}

/// The same, and nobody is to blame.
void end_together(JobStep& step, Stage& stage, const JobExecutor& executor,
                  const TaskAttempt& id, const std::string& why) {
  fail_barrier_attempt(
      step, stage,
      {id, executor.exec_id, executor.host, why, {}, {}, Blame::nobody});
}

void fail(JobStep& step, Stage& stage, const JobExecutor& executor,
          const TaskStatus& x) {
  const auto& id = x.id;
  const auto& config = step.state.config;
  if (stage.barrier) {
    if (!stage.spec.kills_count && killed_from_outside(x.exit_status))
      return fail_together(step, stage, executor, x, Blame::executor);
    note_failure(step, stage, executor);
    return fail_together(step, stage, executor, x, Blame::task);
  }
  auto failures
      = stage.tasks->fail(id.task, id.attempt, executor.exec_id, executor.host,
                          step.now + config.wait_for_other);
  made_pending(stage);
  note_failure(step, stage, executor);
  step.add(AttemptFailed{id, executor.exec_id, executor.host, x.error,
                         x.last_lines, failures});
  if (failures >= stage.spec.max_failures)
    give_up(step, stage, executor, x, failures);
}

/// Nothing that waits at executors of a worker begins there.
void ask_for_tasks_of(JobStep& step, const WorkerId& worker) {
  for (const auto& [exec_id, x] : step.state.executors.all())
    if (x.worker_id == worker)
      ask_for_tasks(step, x);
}

/// The place is to blame, unless the task has found no room anywhere.
void miss_room(JobStep& step, Stage& stage, const JobExecutor& executor,
               TaskStatus x) {
  const auto& id = x.id;
  auto& tasks = *stage.tasks;
  const auto& worker = executor.worker_id;
  // It need not be the worker's own disk: the error names the file.
  x.error = "no room is left where it writes on worker " + to_string(worker)
            + ": " + x.error;
  step.state.full_disks.found_full(step.now, worker);
  if (stage.barrier) {
    fail_together(step, stage, executor, x, Blame::task);
    return ask_for_tasks_of(step, worker);
  }
  auto times = tasks.note_full_disk(id.task, worker);
  auto counts = !has_other_disk(step.state, stage, id.task, step.now);
  if (counts)
    times = tasks.failures(id.task) + 1;
  auto failures = tasks.fail_for_full_disk(id.task, id.attempt, counts,
                                           step.now + full_disk_wait(times));
  made_pending(stage);
  step.add(AttemptFailed{id, executor.exec_id, executor.host, x.error,
                         x.last_lines, counts ? failures : 0});
  if (counts && failures >= stage.spec.max_failures)
    give_up(step, stage, executor, x, failures);
  else
    ask_for_tasks_of(step, worker);
}

/// What it should have read is not there.
void miss_output(JobStep& step, Stage& stage, const JobExecutor& executor,
                 const TaskStatus& x) {
  if (stage.barrier) {
    fail_together(step, stage, executor, x, Blame::nobody);
  } else {
    stage.tasks->give_back(x.id.task, x.id.attempt);
    made_pending(stage);
    step.add(AttemptFailed{x.id, executor.exec_id, executor.host, x.error,
                           x.last_lines, 0});
  }
  lose_output(step, x.fetch_failed->output, x.fetch_failed->unreachable,
              x.error);
}

void end_attempt(JobStep& step, int exec_id, const TaskStatus& x) {
  if (!step.state.executors.end(exec_id, x.id, step.now))
    return;
  note_ended(step.state, x.id);
  auto* stage = stage_of_live(step.state, x.id);
  if (stage == nullptr)
    return;
  const auto& executor = *step.state.executors.find(exec_id);
  switch (x.state) {
  case TaskState::FINISHED:
    finish(step, *stage, executor, x);
    break;
  case TaskState::FAILED:
    if (x.fetch_failed)
      miss_output(step, *stage, executor, x);
    else if (x.disk_full)
      miss_room(step, *stage, executor, x);
    else
      fail(step, *stage, executor, x);
    break;
  case TaskState::KILLED:
    if (stage->barrier)
      return end_together(step, *stage, executor, x.id, "it was killed");
    stage->tasks->give_back(x.id.task, x.id.attempt);
    made_pending(*stage);
  }
}

} // namespace

void on(JobStep& step, const StatusUpdates& x) {
  auto& executors = step.state.executors;
  const auto* executor = executors.find(x.exec_id);
  if (executor == nullptr || executor->disconnected)
    return;
  for (const auto& status : x.ended)
    end_attempt(step, x.exec_id, status);
  if (!x.returned)
    return;
  executors.set_returns_tasks(x.exec_id, false);
  for (const auto& id : *x.returned) {
    if (!executors.end(x.exec_id, id, step.now))
      continue;
    note_ended(step.state, id);
    auto* stage = stage_of_live(step.state, id);
    if (stage == nullptr)
      continue;
    if (stage->barrier) {
      end_together(step, *stage, *executors.find(x.exec_id), id,
                   "its executor gave it back");
      continue;
    }
    stage->tasks->give_back(id.task, id.attempt);
    made_pending(*stage);
  }
}

void on(JobStep& step, const ResultFetched& x) {
  auto found = step.state.stages.find(x.id.stage);
  if (found == step.state.stages.end())
    return;
  auto& stage = step.state.stages.change(x.id.stage);
  auto result = stage.on_their_way.find(x.id.task);
  if (result == stage.on_their_way.end()
      || result->second.attempt != x.id.attempt)
    return;
  stage.on_their_way.erase(result);
  if (x.error.empty()) {
    if (!stage.barrier)
      accept(step, stage, x.id, {});
    else if (stage.on_their_way.empty())
      accept_barrier_results(step, stage);
    if (stage.is_complete())
      complete_stage(step, stage);
    return;
  }
  step.add(OutputsLost{x.id.stage, 1, x.error});
  if (stage.barrier)
    restart_barrier_stage(step, stage, x.error);
  else
    stage.tasks->redo(x.id.task);
  stage.looked_everywhere = false;
  if (++stage.results_lost[x.id.task] > step.state.config.remade_outputs_max)
    fail_jobs_of(step, stage,
                 "the result of " + name_of(stage, x.id.task)
                     + " could not be fetched: " + x.error);
}

void ask_for_tasks(JobStep& step, const JobExecutor& executor) {
  if (executor.disconnected || executor.waiting == 0 || executor.returns_tasks)
    return;
  step.state.executors.set_returns_tasks(executor.exec_id, true);
  step.add(AskForTasks{executor.exec_id, executor.waiting});
}

void take_back_attempt(JobStep& step, const JobExecutor& executor,
                       const AssignedTask& x, const std::string& why) {
  if (auto* stage = stage_of_live(step.state, x.id)) {
    if (stage->barrier)
      return fail_barrier_attempt(step, *stage,
                                  {x.id,
                                   executor.exec_id,
                                   executor.host,
                                   why,
                                   {},
                                   {},
                                   Blame::nobody,
                                   false});
    stage->tasks->give_back(x.id.task, x.id.attempt);
    made_pending(*stage);
    if (x.since)
      step.add(
          AttemptFailed{x.id, executor.exec_id, executor.host, why, {}, 0});
  }
  step.state.executors.withdraw(executor.exec_id, x.id);
  step.add(EndTask{executor.exec_id, x.id, why});
}

void lose_attempt(JobStep& step, const JobExecutor& executor,
                  const AssignedTask& lost, ExecutorLoss loss,
                  const std::string& why) {
  note_ended(step.state, lost.id);
  auto* stage = stage_of_live(step.state, lost.id);
  if (stage == nullptr)
    return;
  const auto& [id, task, attempt] = lost.id;
  auto was_leaving = executor.leaves_since.has_value();
  if (lost.since && loss == ExecutorLoss::by_itself && !was_leaving) {
    TaskStatus status;
    status.id = lost.id;
    status.error = "its executor ended: " + why;
    fail(step, *stage, executor, status);
    return;
  }
  if (stage->barrier) {
    TaskStatus status;
    status.id = lost.id;
    status.error
        = (was_leaving ? "its executor has left: " : "its executor was lost: ")
          + why;
    return fail_together(step, *stage, executor, status,
                         was_leaving ? Blame::nobody : Blame::executor);
  }
  made_pending(*stage);
  if (!lost.since || was_leaving) {
    stage->tasks->give_back(task, attempt);
    if (lost.since)
      step.add(AttemptFailed{lost.id,
                             executor.exec_id,
                             executor.host,
                             "its executor has left: " + why,
                             {},
                             0});
    return;
  }
  auto times = stage->tasks->give_back_lost(task, attempt);
  step.add(AttemptFailed{lost.id,
                         executor.exec_id,
                         executor.host,
                         "its executor was lost: " + why,
                         {},
                         0});
  if (times >= step.state.config.lost_executors_max)
    fail_jobs_of(step, *stage,
                 name_of(*stage, task) + " was lost with "
                     + std::to_string(times) + " executors: " + why);
}

} // namespace stoker
