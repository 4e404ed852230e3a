#include "scheduling/jobs/speculation.hpp"

#include <algorithm>
#include <cmath>

#include "scheduling/jobs/leaving.hpp"
#include "scheduling/jobs/offers.hpp"

namespace stoker {

namespace {

/// Whether an attempt had better have a second one beside it.
/// @param longest Longer than that is long.
bool is_late(const JobStep& step, const TaskAttempt& id, int exec_id,
             Duration longest) {
  const auto& executor = *step.state.executors.find(exec_id);
  for (const auto& x : executor.assigned) {
    // One that waits at its executor has not begun.
    if (x.id != id || !x.since)
      continue;
    auto kill = expected_kill(step.state, executor);
    return *x.since + longest < step.now
           || (kill && *x.since + longest > *kill);
  }
  return false;
}

/// Longer than that is long; nothing: too few are done to know.
std::optional<Duration> longest_usual(const SpeculationConfig& config,
                                      const Stage& stage) {
  const auto& tasks = *stage.tasks;
  auto enough = static_cast<int>(std::ceil(config.quantile * tasks.size()));
  if (tasks.done() < std::max(enough, 1))
    return std::nullopt;
  auto median = static_cast<double>(stage.run_times.median().count());
  return std::max(
      Duration{static_cast<std::int64_t>(config.multiplier * median)},
      config.min_run_time);
}

void speculate_in(JobStep& step, Stage& stage) {
  auto& tasks = *stage.tasks;
  auto longest = longest_usual(step.state.config.speculation, stage);
  // One that was late is, whatever the others took since.
  std::vector<TaskAttempt> late;
  for (const auto& [task, live] : tasks.live()) {
    TaskAttempt id{stage.spec.id, task, live.first.attempt};
    if (live.wants_second
        || (longest && !live.second
            && is_late(step, id, live.first.exec_id, *longest)))
      late.push_back(id);
  }
  for (const auto& id : late) {
    if (offer_second(step, stage, id.task) || tasks.wants_second(id.task))
      continue;
    tasks.want_second(id.task);
    step.add(SecondAttemptWanted{id});
  }
}

} // namespace

void speculate(JobStep& step) {
  const auto& config = step.state.config.speculation;
  if (!config.enabled)
    return;
  for (auto id : step.state.active) {
    auto& stage = step.state.stages.change(id);
    // What waits for a first attempt goes before.
    if (stage.barrier || stage.tasks->running() == 0
        || stage.tasks->pending() > 0) {
      stage.next_speculation.reset();
      continue;
    }
    if (!stage.next_speculation)
      stage.next_speculation = step.now + config.interval;
    if (*stage.next_speculation > step.now)
      continue;
    stage.next_speculation = step.now + config.interval;
    speculate_in(step, stage);
  }
}

std::optional<Instant> next_speculation(const JobsState& state) {
  std::optional<Instant> result;
  if (state.config.speculation.enabled)
    for (auto id : state.active)
      result = earlier(result, state.stages.at(id).next_speculation);
  return result;
}

} // namespace stoker
