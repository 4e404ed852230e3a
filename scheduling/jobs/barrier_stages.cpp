#include "scheduling/jobs/barrier_stages.hpp"

#include <utility>

#include "scheduling/common/format.hpp"
#include "scheduling/jobs/barrier_waiting.hpp"
#include "scheduling/jobs/jobs.hpp"
#include "scheduling/jobs/stages.hpp"

namespace stoker {

namespace {

/// "task 3 failed on host-a (executor 1): exited with 1"
std::string cause_of(const BarrierFailure& x) {
  return "task " + std::to_string(x.id.task) + " failed on " + x.host
         + " (executor " + std::to_string(x.exec_id) + "): " + x.why;
}

/// Nothing: the stage can be tried again.
std::optional<std::string> count_failure(const JobsConfig& config, Stage& stage,
                                         const BarrierFailure& x) {
  auto& attempts = *stage.barrier;
  if (x.blame == Blame::nobody)
    return std::nullopt;
  if (x.blame == Blame::executor) {
    if (++attempts.lost < config.lost_executors_max)
      return std::nullopt;
    return "lost tasks " + std::to_string(attempts.lost)
           + " times, at last task " + std::to_string(x.id.task) + ": " + x.why;
  }
  auto cause = cause_of(x);
  if (++attempts.failed == 1)
    attempts.first_failure = cause;
  if (attempts.failed < stage.spec.max_failures)
    return std::nullopt;
  if (attempts.failed == 1)
    return "failed: " + cause;
  auto result = "failed " + std::to_string(attempts.failed) + " times, first: ";
  return result + attempts.first_failure + "; at last: " + cause;
}

/// @pre some task has begun
void restart(JobStep& step, Stage& stage, const std::string& why) {
  auto& tasks = *stage.tasks;
  auto ran = tasks.done() < stage.spec.tasks;
  withdraw_attempts(step, stage, why);
  // All have begun equally often.
  if (ran)
    step.add(BarrierAttemptEnded{stage.spec.id, tasks.attempts(0) - 1});
  for (int task = 0; task < stage.spec.tasks; ++task)
    if (tasks.is_done(task))
      tasks.redo(task);
  if (stage.outputs)
    stage.outputs->clear();
  stage.barrier->results.clear();
  stage.on_their_way.clear();
  stage.looked_everywhere = false;
  step.state.needs.set_complete(stage.spec.id, false);
  if (stage.is_active)
    begin_waiting(step, stage);
}

} // namespace

void fail_barrier_attempt(JobStep& step, Stage& stage,
                          const BarrierFailure& x) {
  auto& attempts = *stage.barrier;
  auto gives_up = count_failure(step.state.config, stage, x);
  step.add(AttemptFailed{x.id, x.exec_id, x.host, x.why, x.last_lines,
                         x.blame == Blame::task ? attempts.failed : 0});
  if (x.has_ended) {
    stage.tasks->give_back(x.id.task, x.id.attempt);
    stage.running_cores -= stage.spec.cores;
  }
  restart(step, stage,
          "task " + std::to_string(x.id.task)
              + " of its barrier stage ended: " + x.why);
  if (!gives_up)
    return;
  TaskStatus blamed;
  blamed.last_lines = x.last_lines;
  blamed.exit_status = x.exit_status;
  fail_jobs_of(step, stage,
               "barrier stage '" + stage.spec.name + "' " + *gives_up, &blamed);
}

void finish_barrier_task(JobStep& step, Stage& stage,
                         const JobExecutor& executor, const TaskStatus& x) {
  step.add(BarrierTaskFinished{x.id});
  if (!stage.outputs)
    stage.barrier->results[x.id.task]
        = {x.id, executor.server, x.result, x.result_is_stored};
  if (stage.tasks->done() < stage.spec.tasks)
    return;
  step.add(BarrierAttemptEnded{x.id.stage, x.id.attempt});
  if (stage.outputs)
    return;
  for (const auto& [task, result] : stage.barrier->results) {
    if (!result.is_stored)
      continue;
    stage.on_their_way[task] = {result.id.attempt, result.server};
    step.add(FetchResult{result.id, step.state.servers[result.server].address});
  }
  if (stage.on_their_way.empty())
    accept_barrier_results(step, stage);
}

void accept_barrier_results(JobStep& step, Stage& stage) {
  auto job = *stage.jobs.begin();
  for (auto& [task, result] : std::exchange(stage.barrier->results, {}))
    step.add(AcceptResult{job, result.id, std::move(result.text)});
}

void restart_barrier_stage(JobStep& step, Stage& stage,
                           const std::string& why) {
  if (stage.tasks && stage.tasks->pending() < stage.spec.tasks)
    restart(step, stage, why);
}

void note_ended(JobsState& state, const TaskAttempt& id) {
  auto found = state.stages.find(id.stage);
  if (found == state.stages.end() || !found->second.barrier
      || !found->second.barrier->ending.contains(id))
    return;
  auto& stage = state.stages.change(id.stage);
  stage.barrier->ending.erase(id);
  stage.looked_everywhere = false;
}

} // namespace stoker
