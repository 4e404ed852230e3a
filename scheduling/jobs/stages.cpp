#include "scheduling/jobs/stages.hpp"

#include "scheduling/jobs/jobs.hpp"

namespace stoker {

namespace {

/// Which stages' tasks are needed and can begin, for all jobs.
class ActiveStages {
public:
  explicit ActiveStages(const JobsState& state) : state_(state) {
  }

  std::set<StageId> find() {
    for (const auto& [id, job] : state_.jobs)
      for (auto stage : job.results_missing)
        need(stage);
    while (!to_visit_.empty()) {
      auto id = to_visit_.back();
      to_visit_.pop_back();
      if (has_what_it_reads(state_.stages.at(id)))
        active_.insert(id);
    }
    return std::move(active_);
  }

private:
  void need(StageId id) {
    if (!state_.stages.at(id).is_complete() && seen_.insert(id).second)
      to_visit_.push_back(id);
  }

  bool has_what_it_reads(const Stage& x) {
    auto result = true;
    for (const auto& read : x.spec.reads) {
      if (state_.stages.at(read.stage).is_complete())
        continue;
      result = false;
      need(read.stage);
    }
    return result;
  }

  const JobsState& state_;
  std::set<StageId> seen_;
  std::set<StageId> active_;
  std::vector<StageId> to_visit_;
};

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
  if (stage.tasks->pending() > 0)
    step.add(StageStarted{stage.spec.id, stage.tasks->pending()});
}

void deactivate(Stage& stage) {
  stage.is_active = false;
  stage.next_speculation.reset();
  stage.unschedulable_since.reset();
}

} // namespace

void update_active_stages(JobStep& step) {
  auto& state = step.state;
  if (!std::exchange(state.stages_changed, false))
    return;
  auto active = ActiveStages{state}.find();
  for (auto id : state.active)
    if (auto found = state.stages.find(id);
        !active.contains(id) && found != state.stages.end())
      deactivate(state.stages.change(id));
  for (auto id : active)
    if (!state.stages.at(id).is_active)
      activate(step, state.stages.change(id));
  state.active = std::move(active);
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
  step.state.stages_changed = true;
  stage.first_launch.reset();
  stage.exclusions = {};
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
  stage.tasks->redo(output.task);
  stage.looked_everywhere = false;
  step.state.stages_changed = true;
  step.add(OutputsLost{output.stage, 1, why});
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
    for (auto task : lost)
      stage.tasks->redo(task);
    stage.looked_everywhere = false;
    step.state.stages_changed = true;
    step.add(OutputsLost{id, static_cast<int>(lost.size()), why});
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
    step.add(EndTask{live.exec_id, id, why});
  }
}

} // namespace stoker
