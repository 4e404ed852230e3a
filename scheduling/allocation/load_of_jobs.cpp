#include "scheduling/allocation/load_of_jobs.hpp"

#include <utility>

namespace stoker {

namespace {

/// The stage whose tasks may begin; null: they may not.
const Stage* find_active(const JobsState& state, StageId id) {
  auto found = state.stages.find(id);
  return found != state.stages.end() && found->second.is_active ? &found->second
                                                                : nullptr;
}

/// Where those of its tasks that are not done had better run.
LocalityHints hints_of(const Stage& stage) {
  LocalityHints result;
  const auto& tasks = *stage.tasks;
  if (tasks.places().empty())
    return result;
  for (int task = 0; task < tasks.size(); ++task) {
    if (tasks.is_done(task))
      continue;
    std::set<std::string> hosts;
    for (auto& place : tasks.places().of(task))
      hosts.insert(std::move(place.host));
    result.tasks += hosts.empty() ? 0 : 1;
    for (const auto& host : hosts)
      ++result.by_host[host];
  }
  return result;
}

/// Whether somebody waits for the task still.
bool is_wanted(const JobsState& state, const TaskAttempt& id) {
  const auto* stage = find_active(state, id.stage);
  return stage != nullptr && !stage->tasks->is_done(id.task);
}

/// @pre is_wanted
bool is_live(const JobsState& state, const TaskAttempt& id) {
  return state.stages.at(id.stage).tasks->is_live(id.task, id.attempt);
}

/// Whether a second attempt at the task waits.
bool wants_second(const JobsState& state, StageId id, int task) {
  const auto* stage = find_active(state, id);
  return stage != nullptr && stage->tasks->wants_second(task);
}

/// Whether it runs beside an earlier attempt.
bool is_second(const JobsState& state, const TaskAttempt& id) {
  auto stage = state.stages.find(id.stage);
  if (stage == state.stages.end() || !stage->second.tasks)
    return false;
  const auto& live = stage->second.tasks->live();
  auto found = live.find(id.task);
  return found != live.end() && found->second.second
         && found->second.second->attempt == id.attempt;
}

/// How many of a stage's tasks waited until the step itself began them.
int count_started(const JobsState& state, const JobsEffects& effects,
                  StageId stage) {
  int result = 0;
  for (const auto& effect : effects)
    if (const auto* started = std::get_if<StartTasks>(&effect))
      for (const auto& id : started->tasks)
        result += id.stage == stage && !is_second(state, id) ? 1 : 0;
  return result;
}

} // namespace

AllocationEvents LoadOfJobs::begin(const JobsState& state) {
  AllocationEvents result;
  const JobsEffects nothing;
  Step step{state, nothing, result, {}};
  for (const auto& [exec_id, x] : state.executors.all()) {
    join(step, exec_id);
    if (x.disconnected)
      disconnected_.insert(exec_id);
  }
  // What runs on though nobody waits for it keeps its executor busy.
  std::map<StageId, std::vector<std::pair<int, TaskAttempt>>> unwanted;
  std::vector<std::pair<int, TaskAttempt>> wanted;
  for (const auto& [exec_id, x] : state.executors.all())
    for (const auto& assigned : x.assigned) {
      auto id = assigned.id;
      auto& list = is_wanted(state, id) && is_live(state, id)
                       ? wanted
                       : unwanted[id.stage];
      list.emplace_back(exec_id, id);
    }
  for (const auto& [stage, list] : unwanted) {
    StageAttempt attempt{stage, next_attempt_++};
    result.push_back(
        StageSubmitted{attempt, static_cast<int>(list.size()), {}});
    for (const auto& [exec_id, id] : list)
      begin_task(step, exec_id, id, attempt.attempt);
    result.push_back(StageEnded{attempt});
  }
  for (auto id : state.active) {
    const auto& tasks = *state.stages.at(id).tasks;
    submit(step, id, tasks.pending() + tasks.running());
  }
  for (const auto& [exec_id, id] : wanted)
    begin_task(step, exec_id, id, open_.at(id.stage));
  return result;
}

AllocationEvents LoadOfJobs::after(const JobsEvent& what,
                                   const JobsEffects& effects,
                                   const JobsState& state) {
  AllocationEvents result;
  Step step{state, effects, result, {}};
  if (const auto* registered = std::get_if<RegisterExecutor>(&what))
    join(step, registered->exec_id);
  else if (const auto* updates = std::get_if<StatusUpdates>(&what))
    on(step, *updates);
  else if (const auto* ended = std::get_if<ExecutorEnded>(&what))
    lose(step, ended->exec_id);
  else if (const auto* broke = std::get_if<ExecutorDisconnected>(&what))
    disconnected_.insert(broke->exec_id);
  else if (const auto* leaves = std::get_if<DecommissionExecutor>(&what))
    leave(step, leaves->exec_id);
  for (const auto& effect : effects)
    if (const auto* silent = std::get_if<ExecutorSilent>(&effect))
      lose(step, silent->exec_id);
  for (auto i = disconnected_.begin(); i != disconnected_.end();) {
    auto exec_id = *i++;
    if (state.executors.find(exec_id) == nullptr)
      lose(step, exec_id);
  }
  auto stages_changed = false;
  for (const auto& effect : effects) {
    if (const auto* started = std::get_if<StageStarted>(&effect)) {
      submit(step, started->stage, started->tasks);
      step.recount.erase(started->stage);
    } else if (const auto* completed = std::get_if<StageCompleted>(&effect)) {
      // Those that it read may not be needed any more.
      stages_changed = true;
      close(step, completed->stage);
    } else if (const auto* lost = std::get_if<OutputsLost>(&effect)) {
      stages_changed = true;
      step.recount.insert(lost->stage);
    } else if (const auto* over = std::get_if<BarrierAttemptEnded>(&effect)) {
      // What was done of it waits again, too.
      if (const auto* stage = find_active(state, over->stage);
          stage != nullptr && stage->tasks->done() == 0)
        step.recount.insert(over->stage);
    } else if (const auto* late = std::get_if<SecondAttemptWanted>(&effect)) {
      want_second(step, late->id.stage, late->id.task);
    } else if (const auto* end = std::get_if<EndTask>(&effect)) {
      // It runs elsewhere before it has ended here.
      if (is_wanted(state, end->id) && !is_live(state, end->id))
        step.recount.insert(end->id.stage);
    } else if (std::holds_alternative<JobEnded>(effect)) {
      stages_changed = true;
    } else if (const auto* kept = std::get_if<ExecutorKept>(&effect)) {
      keep(step, kept->exec_id);
    }
  }
  if (stages_changed)
    close_inactive(step);
  recount(step);
  // Launches are the last of what follows from a step.
  for (const auto& effect : effects)
    if (const auto* started = std::get_if<StartTasks>(&effect))
      start(step, *started);
  return result;
}

// -- executors ----------------------------------------------------------------

void LoadOfJobs::join(Step& step, int exec_id) {
  const auto* executor = step.state.executors.find(exec_id);
  if (executor == nullptr || !running_.try_emplace(exec_id).second)
    return;
  if (executor->leaves_since)
    leaving_.insert(exec_id);
  else
    step.out.push_back(ExecutorJoined{exec_id});
}

void LoadOfJobs::leave(Step& step, int exec_id) {
  if (running_.contains(exec_id) && leaving_.insert(exec_id).second)
    step.out.push_back(ExecutorLeft{exec_id});
}

void LoadOfJobs::keep(Step& step, int exec_id) {
  if (leaving_.erase(exec_id) > 0)
    step.out.push_back(ExecutorJoined{exec_id});
}

void LoadOfJobs::lose(Step& step, int exec_id) {
  disconnected_.erase(exec_id);
  auto found = running_.find(exec_id);
  if (found == running_.end())
    return;
  while (!found->second.empty())
    end(step, exec_id, found->second.begin()->first, false);
  running_.erase(found);
  if (leaving_.erase(exec_id) == 0)
    step.out.push_back(ExecutorLeft{exec_id});
}

// -- tasks --------------------------------------------------------------------

void LoadOfJobs::on(Step& step, const StatusUpdates& x) {
  for (const auto& status : x.ended)
    end(step, x.exec_id, status.id, status.state == TaskState::FINISHED);
  if (x.returned)
    for (const auto& id : *x.returned)
      end(step, x.exec_id, id, false);
}

void LoadOfJobs::end(Step& step, int exec_id, const TaskAttempt& id,
                     bool succeeded) {
  auto executor = running_.find(exec_id);
  if (executor == running_.end())
    return;
  auto task = executor->second.extract(id);
  if (!task)
    return;
  auto again = !succeeded && is_wanted(step.state, id)
               && !runs_elsewhere(step.state, id);
  step.out.push_back(TaskOver{id, succeeded ? TaskOutcome::succeeded
                                  : again   ? TaskOutcome::failed
                                            : TaskOutcome::killed});
  forget_second(step, id.stage, id.task);
  // A manager takes a task for one that waits again if its first attempt fails, and the
  // stage has no later attempt.
  const auto& [stage_attempt, was_second] = task.mapped();
  auto open = open_.find(id.stage);
  if (again
      && (was_second || open == open_.end() || open->second != stage_attempt))
    step.recount.insert(id.stage);
}

/// Whether another attempt goes on that had begun before this step.
bool LoadOfJobs::runs_elsewhere(const JobsState& state,
                                const TaskAttempt& id) const {
  const auto& live = state.stages.at(id.stage).tasks->live();
  auto found = live.find(id.task);
  if (found == live.end())
    return false;
  auto runs = [&](const TaskSet::Live& x) {
    auto executor = running_.find(x.exec_id);
    return executor != running_.end()
           && executor->second.contains({id.stage, id.task, x.attempt});
  };
  return runs(found->second.first)
         || (found->second.second && runs(*found->second.second));
}

void LoadOfJobs::start(Step& step, const StartTasks& x) {
  for (const auto& id : x.tasks) {
    // A second attempt, of a stage of which nothing waited when it became active.
    if (!open_.contains(id.stage)) {
      step.recount.insert(id.stage);
      recount(step);
    }
    begin_task(step, x.exec_id, id, open_.at(id.stage));
  }
}

void LoadOfJobs::begin_task(Step& step, int exec_id, const TaskAttempt& id,
                            int stage_attempt) {
  auto second = is_second(step.state, id);
  running_.at(exec_id).emplace(id, Running{stage_attempt, second});
  if (auto wanted = seconds_.find(id.stage); second && wanted != seconds_.end())
    wanted->second.erase(id.task);
  step.out.push_back(TaskBegan{id, stage_attempt, exec_id, second});
}

void LoadOfJobs::want_second(Step& step, StageId stage, int task) {
  auto open = open_.find(stage);
  if (open == open_.end())
    // Nothing of it waited when it became active.
    step.recount.insert(stage);
  else if (seconds_[stage].insert(task).second)
    step.out.push_back(SpeculationWanted{{stage, open->second}, task});
}

void LoadOfJobs::forget_second(Step& step, StageId stage, int task) {
  auto wanted = seconds_.find(stage);
  if (wanted == seconds_.end() || wants_second(step.state, stage, task))
    return;
  if (wanted->second.erase(task) > 0)
    step.out.push_back(SpeculationDropped{{stage, open_.at(stage)}, task});
}

// -- stages -------------------------------------------------------------------

void LoadOfJobs::submit(Step& step, StageId id, int tasks) {
  const auto* stage = find_active(step.state, id);
  if (stage == nullptr)
    return;
  close(step, id);
  auto attempt = next_attempt_++;
  open_.emplace(id, attempt);
  step.out.push_back(StageSubmitted{
      {id, attempt}, tasks, hints_of(*stage), stage->spec.is_barrier});
  for (const auto& [task, live] : stage->tasks->live())
    if (live.wants_second)
      want_second(step, id, task);
}

void LoadOfJobs::close(Step& step, StageId id) {
  seconds_.erase(id);
  if (auto open = open_.extract(id))
    step.out.push_back(StageEnded{{id, open.mapped()}});
}

void LoadOfJobs::close_inactive(Step& step) {
  for (auto i = open_.begin(); i != open_.end();) {
    auto id = i++->first;
    if (!step.state.active.contains(id))
      close(step, id);
  }
}

void LoadOfJobs::recount(Step& step) {
  for (auto id : std::exchange(step.recount, {}))
    if (const auto* stage = find_active(step.state, id))
      submit(step, id,
             stage->tasks->pending()
                 + count_started(step.state, step.effects, id));
}

} // namespace stoker
