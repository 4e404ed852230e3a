#include "scheduling/jobs/job_invariants.hpp"

#include <map>
#include <set>
#include <tuple>

namespace stoker {

namespace {

using Violation = std::optional<std::string>;

Violation check_executor(const JobExecutor& x) {
  auto used = 0;
  auto waiting = 0;
  for (const auto& task : x.assigned) {
    if (task.since && waiting > 0)
      return "a task began before one that came earlier";
    if (task.since)
      used += task.cores;
    else
      ++waiting;
  }
  if (used != x.used_cores || waiting != x.waiting)
    return "its cores in use are not those of its tasks";
  if (used > x.cores)
    return "its tasks use more cores than it has";
  if (waiting > 0
      && x.assigned[x.assigned.size() - static_cast<std::size_t>(waiting)].cores
             <= x.cores - used)
    return "a task waits for cores that are free";
  return std::nullopt;
}

Violation check_silent(const JobsState& state) {
  if (state.config.heartbeats.interval.count() == 0)
    return std::nullopt;
  for (const auto& [exec_id, x] : state.executors.all())
    if (state.silent.heard().contains(exec_id) == x.disconnected.has_value())
      return "executor " + std::to_string(exec_id)
             + ": it is expected to speak, or not, and its connection says "
               "otherwise";
  for (const auto& [exec_id, heard] : state.silent.heard())
    if (state.executors.find(exec_id) == nullptr)
      return "executor " + std::to_string(exec_id)
             + ": it is expected to speak, and is not known";
  return std::nullopt;
}

Violation check_leaving(const JobsState& state) {
  std::set<int> leaving;
  std::set<int> available;
  for (const auto& [exec_id, x] : state.executors.all()) {
    auto text = "executor " + std::to_string(exec_id) + ": ";
    if (state.drained_unknown.contains(exec_id))
      return text + "it is known, and counts as not known";
    if (x.is_drained && !x.leaves_since)
      return text + "it may be removed, and is not to leave";
    if (x.leaves_since && !x.is_drained)
      leaving.insert(exec_id);
    if (x.is_available())
      available.insert(exec_id);
    for (const auto& task : x.assigned)
      if (x.is_drained && !task.withdrawn)
        return text + "it may be removed, and a task counts that is there";
  }
  if (leaving != state.leaving)
    return "those that are to leave are not those that count as such";
  std::set<int> indexed;
  for (const auto& x : state.executors.by_free_cores())
    indexed.insert(x.exec_id);
  if (indexed != available)
    return "tasks go to other executors than those that get tasks";
  return std::nullopt;
}

/// Attempts that count, with their executors.
using Attempts = std::set<std::pair<TaskAttempt, int>>;

Violation check_tasks(const Stage& stage, Attempts& live) {
  const auto& tasks = *stage.tasks;
  if (tasks.pending() + tasks.running() + tasks.done() != tasks.size())
    return "its tasks are not pending, running or done";
  auto attempts = 0;
  for (const auto& [task, x] : tasks.live()) {
    if (tasks.is_done(task))
      return "a task that is done has an attempt that counts";
    live.emplace(TaskAttempt{stage.spec.id, task, x.first.attempt},
                 x.first.exec_id);
    if (x.second)
      live.emplace(TaskAttempt{stage.spec.id, task, x.second->attempt},
                   x.second->exec_id);
    attempts += x.second ? 2 : 1;
    if (x.wants_second && (x.second || !stage.is_active))
      return "a second attempt is wanted that has begun, or may not begin";
  }
  if (stage.running_cores != attempts * stage.spec.cores)
    return "its cores in use are not those of its attempts";
  for (int task = 0; task < tasks.size(); ++task)
    if (stage.outputs
        && stage.outputs->server_of_task(task).has_value()
               != tasks.is_done(task))
      return "an output is not there, or of a task that is not done";
  if (stage.outputs && stage.outputs->missing() != tasks.size() - tasks.done())
    return "the number of missing outputs is wrong";
  return std::nullopt;
}

/// All tasks of a barrier stage wait, or none does; and those that run are of one attempt,
/// of which nothing earlier is left.
Violation check_barrier(const JobsState& state, const Stage& stage) {
  const auto& tasks = *stage.tasks;
  const auto& barrier = *stage.barrier;
  if (tasks.pending() != 0 && tasks.pending() != tasks.size())
    return "some of its tasks have begun, and some wait";
  for (const auto& [task, x] : tasks.live()) {
    if (x.second || x.wants_second)
      return "a task has a second attempt";
    if (x.first.attempt != tasks.attempts(0) - 1)
      return "its tasks are of different attempts";
  }
  if (tasks.running() > 0 && !barrier.ending.empty())
    return "an attempt runs, and tasks of an earlier one have not ended";
  if (!barrier.ending.empty() && tasks.pending() != tasks.size())
    return "tasks of an earlier attempt have not ended, and those of this one "
           "do "
           "not wait";
  for (const auto& [exec_id, x] : state.executors.all())
    for (const auto& task : x.assigned)
      if (task.id.stage == stage.spec.id
          && task.withdrawn != barrier.ending.contains(task.id))
        return to_string(task.id) + " ends, and does not count as such";
  if (barrier.waits_since.has_value()
      != (stage.is_active && tasks.pending() > 0))
    return "it waits, or not, and counts as the contrary";
  return std::nullopt;
}

Violation check_stage(const JobsState& state, const Stage& stage,
                      Attempts& live) {
  if (stage.spec.is_result && stage.jobs.size() != 1)
    return "its results are not of one job";
  for (auto id : stage.jobs)
    if (!state.jobs.contains(id))
      return "its job has ended";
  if (stage.is_active != state.active.contains(stage.spec.id))
    return "it is active, or not, and counts as the contrary";
  if (stage.is_active
      && (stage.jobs.empty() || !stage.tasks || stage.is_complete()))
    return "it is active without need";
  if (stage.is_active)
    for (const auto& read : stage.spec.reads)
      if (!state.stages.at(read.stage).is_complete())
        return "it is active, and what it reads is missing";
  if (!stage.tasks)
    return std::nullopt;
  if (stage.barrier)
    if (auto wrong = check_barrier(state, stage))
      return wrong;
  return check_tasks(stage, live);
}

/// From the results back: a stage that is needed and has what it reads is active.
Violation check_needed(const JobsState& state) {
  std::set<StageId> seen;
  std::vector<StageId> left;
  for (const auto& [id, job] : state.jobs)
    left.insert(left.end(), job.results_missing.begin(),
                job.results_missing.end());
  while (!left.empty()) {
    auto id = left.back();
    left.pop_back();
    const auto& stage = state.stages.at(id);
    if (stage.is_complete() || !seen.insert(id).second)
      continue;
    auto has_all = true;
    for (const auto& read : stage.spec.reads)
      if (!state.stages.at(read.stage).is_complete()) {
        has_all = false;
        left.push_back(read.stage);
      }
    if (has_all != stage.is_active)
      return "stage " + to_string(id)
             + (has_all ? " is needed and not active" : " is active too early");
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> invariant_violation(const JobsState& state) {
  Attempts live;
  for (const auto& [id, stage] : state.stages)
    if (auto wrong = check_stage(state, stage, live))
      return "stage " + to_string(id) + ": " + *wrong;
  for (const auto& [exec_id, x] : state.executors.all()) {
    if (auto wrong = check_executor(x))
      return "executor " + std::to_string(exec_id) + ": " + *wrong;
    for (const auto& task : x.assigned)
      if (live.erase({task.id, exec_id}) == 1 && task.withdrawn)
        return to_string(task.id) + " counts, and was withdrawn";
  }
  if (auto wrong = check_silent(state))
    return wrong;
  if (auto wrong = check_leaving(state))
    return wrong;
  std::map<StageId, int> sent_ahead;
  for (const auto& [exec_id, x] : state.executors.all())
    for (const auto& task : x.assigned)
      sent_ahead[task.id.stage] += task.since || task.withdrawn ? 0 : 1;
  for (const auto& [id, stage] : state.stages)
    if (state.executors.sent_ahead(id) != sent_ahead[id]
        || (stage.tasks && running_tasks(state, stage) < 0))
      return "stage " + to_string(id)
             + ": the number of its tasks that wait at executors is wrong";
  if (!live.empty())
    return to_string(live.begin()->first)
           + " counts, and its executor does not have it";
  StageOrder order;
  for (auto id : state.active) {
    const auto& stage = state.stages.at(id);
    order.update(state.config, stage, state.jobs.at(*stage.jobs.begin()).spec);
  }
  if (!(order == state.order))
    return "the order of the stages is not as they are";
  StageNeeds needs;
  for (const auto& [id, stage] : state.stages) {
    needs.add(stage.spec);
    needs.set_complete(id, stage.is_complete());
  }
  for (const auto& [id, job] : state.jobs)
    for (const auto& spec : job.spec.stages)
      if (spec.is_result)
        needs.want(spec.id);
  if (!(needs == state.needs))
    return "what is known of the stages that are needed is not as they are";
  return check_needed(state);
}

} // namespace stoker
