#include "scheduling/jobs/unschedulable.hpp"

#include <algorithm>

#include "scheduling/common/format.hpp"
#include "scheduling/common/wake_up.hpp"
#include "scheduling/jobs/jobs.hpp"
#include "scheduling/jobs/offers.hpp"

namespace stoker {

namespace {

/// Whether a task of those that wait may run there.
bool may_take_one(const JobsState& state, const Stage& stage,
                  const JobExecutor& executor, Instant now) {
  if (executor.cores < stage.spec.cores
      || !may_run_on(state, stage, executor, now))
    return false;
  const auto& retries = stage.tasks->retries();
  return stage.tasks->pending() > static_cast<int>(retries.size())
         || std::any_of(retries.begin(), retries.end(), [&](const auto& x) {
              return may_retry_on(state, stage, x.task, executor);
            });
}

bool is_unschedulable(const JobsState& state, const Stage& stage, Instant now) {
  // Without executors it waits for those.
  if (stage.tasks->pending() == 0 || stage.tasks->running() > 0
      || state.executors.available() == 0)
    return false;
  const auto& executors = state.executors.all();
  auto excluded = false;
  for (const auto& [exec_id, x] : executors) {
    if (!x.is_available())
      continue;
    if (may_take_one(state, stage, x, now))
      return false;
    excluded = excluded || x.cores >= stage.spec.cores;
  }
  return excluded;
}

std::optional<Instant> limit_of(const JobsState& state, const Stage& stage) {
  if (!stage.unschedulable_since)
    return std::nullopt;
  return *stage.unschedulable_since
         + state.config.exclusion.unschedulable_timeout;
}

} // namespace

void end_unschedulable_jobs(JobStep& step) {
  auto& state = step.state;
  if (!state.config.exclusion.enabled)
    return;
  // Jobs take stages with them.
  auto active = state.active;
  for (auto id : active) {
    auto found = state.stages.find(id);
    if (found == state.stages.end() || !found->second.is_active)
      continue;
    auto& stage = state.stages.change(id);
    if (!is_unschedulable(state, stage, step.now)) {
      stage.unschedulable_since.reset();
      continue;
    }
    if (!stage.unschedulable_since)
      stage.unschedulable_since = step.now;
    if (*limit_of(state, stage) <= step.now)
      fail_jobs_of(
          step, stage,
          "tasks of stage '" + stage.spec.name
              + "' may run on none of the executors: all of them are "
                "excluded for what failed there, for "
              + format_duration(state.config.exclusion.unschedulable_timeout));
  }
}

std::optional<Instant> next_unschedulable(const JobsState& state) {
  std::optional<Instant> result;
  if (state.config.exclusion.enabled)
    for (auto id : state.active)
      result = earlier(result, limit_of(state, state.stages.at(id)));
  return result;
}

} // namespace stoker
