#include "scheduling/jobs/stages.hpp"

#include "scheduling/jobs/barrier_stages.hpp"
#include "scheduling/jobs/barrier_waiting.hpp"
#include "scheduling/jobs/jobs.hpp"

namespace stoker {

namespace {

/// A task that reads one task's output had better run where that is.
TaskPlaces places_of(const JobsState& state, const StageSpec& spec) {
  if (!spec.places.empty())
    return TaskPlaces{spec.places};
  for (const auto& read : spec.reads) {
    if (read.kind != DependencyKind::narrow)
      continue;
    const auto& outputs = *state.stages.at(read.stage).outputs;
    std::vector<std::string> hosts;
    hosts.reserve(static_cast<std::size_t>(spec.tasks));
    for (int task = 0; task < spec.tasks; ++task) {
      auto server = outputs.server_of_task(task);
      hosts.push_back(server ? state.servers[*server].host : "");
    }
    return TaskPlaces{hosts};
  }
  return {};
}

void activate(JobStep& step, Stage& stage) {
  stage.is_active = true;
  stage.looked_everywhere = false;
  if (!stage.tasks)
    stage.tasks.emplace(stage.spec.tasks, places_of(step.state, stage.spec));
  // What it read was lost and is there again: its tasks may run or be done by now.
  if (stage.tasks->pending() == 0)
    return;
  if (stage.barrier)
    begin_waiting(step, stage);
  step.add(StageStarted{stage.spec.id, stage.tasks->pending()});
}

/// What these tasks did is lost: they are to do it again, or all of a barrier stage.
void redo(JobStep& step, Stage& stage, const std::vector<int>& tasks,
          const std::string& why) {
  if (stage.barrier)
    return restart_barrier_stage(step, stage, why);
  for (auto task : tasks)
    stage.tasks->redo(task);
  stage.looked_everywhere = false;
  step.state.needs.set_complete(stage.spec.id, false);
}

void deactivate(JobsState& state, Stage& stage) {
  stage.is_active = false;
  stage.next_speculation.reset();
  if (stage.tasks)
    stage.tasks->want_no_second();
  stage.unschedulable_since.reset();
  if (stage.barrier)
    end_waiting(state, stage);
}

} // namespace

void update_active_stages(JobStep& step) {
  auto& state = step.state;
  auto changed = state.needs.take_changed();
  for (auto id : changed) {
    auto found = state.stages.find(id);
    if (found == state.stages.end() || !found->second.is_active
        || state.needs.is_ready(id))
      continue;
    deactivate(state, state.stages.change(id));
    state.active.erase(id);
  }
  for (auto id : changed) {
    if (!state.needs.is_ready(id) || state.stages.at(id).is_active)
      continue;
    activate(step, state.stages.change(id));
    state.active.insert(id);
  }
}

void update_in_order(JobsState& state, StageId id) {
  auto found = state.stages.find(id);
  if (found == state.stages.end() || !found->second.is_active)
    return state.order.forget(id);
  const auto& stage = found->second;
  state.order.update(state.config, stage,
                     state.jobs.at(*stage.jobs.begin()).spec);
}

void update_order(JobsState& state) {
  for (auto id : state.stages.take_changed())
    update_in_order(state, id);
}

void complete_stage(JobStep& step, Stage& stage) {
  step.state.needs.set_complete(stage.spec.id, true);
  stage.first_launch.reset();
  stage.exclusions = {};
  if (stage.barrier)
    stage.barrier->failed = stage.barrier->lost = 0;
  step.add(StageCompleted{stage.spec.id});
  if (!stage.spec.is_result)
    return;
  // A result has one job.
  auto id = *stage.jobs.begin();
  auto& job = step.state.jobs.at(id);
  job.results_missing.erase(stage.spec.id);
  if (job.results_missing.empty())
    end_job(step, JobEnded{id, JobOutcome::succeeded, {}, {}, {}});
}

void lose_output(JobStep& step, const TaskAttempt& output, bool unreachable,
                 const std::string& why) {
  auto found = step.state.stages.find(output.stage);
  if (found == step.state.stages.end())
    return;
  auto& stage = step.state.stages.change(output.stage);
  if (!stage.outputs || output.task < 0 || output.task >= stage.spec.tasks)
    return;
  auto server = stage.outputs->server_of(output);
  if (!server)
    return;
  auto losses = stage.outputs->lose(output);
  step.add(OutputsLost{output.stage, 1, why});
  redo(step, stage, {output.task}, why);
  if (unreachable)
    lose_server(step, *server, why);
  if (losses > step.state.config.remade_outputs_max)
    fail_jobs_of(step, stage,
                 "an output of stage '" + stage.spec.name + "' (task "
                     + std::to_string(output.task) + ") was lost "
                     + std::to_string(losses) + " times: " + why);
}

void lose_server(JobStep& step, int server, const std::string& why) {
  for (const auto& [id, known] : step.state.stages) {
    if (!known.outputs)
      continue;
    auto& stage = step.state.stages.change(id);
    auto lost = stage.outputs->lose_server(server);
    if (lost.empty())
      continue;
    step.add(OutputsLost{id, static_cast<int>(lost.size()), why});
    redo(step, stage, lost, why);
  }
}

void withdraw_attempts(JobStep& step, Stage& stage, const std::string& why) {
  if (!stage.tasks)
    return;
  stage.running_cores = 0;
  for (const auto& [task, live] : stage.tasks->give_back_all()) {
    // One that has just been lost is not known any more.
    if (step.state.executors.find(live.exec_id) == nullptr)
      continue;
    TaskAttempt id{stage.spec.id, task, live.attempt};
    step.state.executors.withdraw(live.exec_id, id);
    if (stage.barrier)
      stage.barrier->ending.insert(id);
    step.add(EndTask{live.exec_id, id, why});
  }
}

} // namespace stoker
