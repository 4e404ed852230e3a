#include "scheduling/jobs/leaving.hpp"

#include <algorithm>

#include "scheduling/common/format.hpp"
#include "scheduling/common/wake_up.hpp"
#include "scheduling/jobs/executors.hpp"
#include "scheduling/jobs/tasks.hpp"

namespace stoker {

namespace {

/// How long what runs there may go on.
Duration grace(const JobsState& state) {
  const auto& config = state.config.leaving;
  return config.tasks_may_end ? config.force_kill_timeout : Duration{0};
}

Instant grace_end(const JobsState& state, const JobExecutor& x) {
  return *x.leaves_since + grace(state);
}

std::string why_ended(const JobsState& state, const JobExecutor& x) {
  auto result = "its executor leaves: " + x.leaves_because;
  if (grace(state).count() > 0)
    result += ", and it did not end within " + format_duration(grace(state));
  return result;
}

bool is_withdrawn(const JobExecutor& x, const TaskAttempt& id) {
  return std::any_of(x.assigned.begin(), x.assigned.end(),
                     [&](const auto& y) { return y.id == id && y.withdrawn; });
}

void end_tasks(JobStep& step, const JobExecutor& x) {
  auto why = why_ended(step.state, x);
  // Withdrawing changes it. One of a barrier stage takes others with it.
  auto assigned = x.assigned;
  for (const auto& task : assigned)
    if (!is_withdrawn(x, task.id))
      take_back_attempt(step, x, task, why);
}

} // namespace

void on(JobStep& step, const DecommissionExecutor& x) {
  auto& state = step.state;
  const auto* found = state.executors.find(x.exec_id);
  if (found == nullptr) {
    // It gets no tasks when it comes, either.
    if (state.drained_unknown.insert(x.exec_id).second)
      step.add(ExecutorDrained{x.exec_id});
    return;
  }
  if (found->leaves_since)
    return;
  state.executors.leave(x.exec_id, step.now, x.why);
  state.leaving.insert(x.exec_id);
  look_again(state);
}

void on(JobStep& step, const KeepExecutor& x) {
  auto& state = step.state;
  const auto* found = state.executors.find(x.exec_id);
  if (!state.leaving.contains(x.exec_id) || found->disconnected)
    return;
  state.executors.keep(x.exec_id);
  state.leaving.erase(x.exec_id);
  offer_place(state, *found);
  step.add(ExecutorKept{x.exec_id});
}

void end_tasks_of_leaving(JobStep& step) {
  const auto& state = step.state;
  for (auto exec_id : state.leaving) {
    const auto& x = *state.executors.find(exec_id);
    // What cannot be told anything is lost soon.
    if (x.disconnected)
      continue;
    if (grace_end(state, x) <= step.now)
      end_tasks(step, x);
    else
      ask_for_tasks(step, x);
  }
}

void tell_drained(JobStep& step) {
  auto& state = step.state;
  std::erase_if(state.leaving, [&](int exec_id) {
    const auto& assigned = state.executors.find(exec_id)->assigned;
    if (!std::all_of(assigned.begin(), assigned.end(),
                     [](const auto& x) { return x.withdrawn; }))
      return false;
    state.executors.set_drained(exec_id);
    step.add(ExecutorDrained{exec_id});
    return true;
  });
}

std::optional<Instant> next_leaving(const JobsState& state) {
  std::optional<Instant> result;
  for (auto exec_id : state.leaving)
    if (const auto& x = *state.executors.find(exec_id); !x.disconnected)
      result = earlier(result, grace_end(state, x));
  return result;
}

std::optional<Instant> expected_kill(const JobsState& state,
                                     const JobExecutor& executor) {
  const auto& interval = state.config.leaving.kill_interval;
  if (!interval || !executor.leaves_since)
    return std::nullopt;
  return *executor.leaves_since + *interval;
}

} // namespace stoker
