#include "scheduling/jobs/time_limits.hpp"

#include "scheduling/common/format.hpp"
#include "scheduling/common/wake_up.hpp"
#include "scheduling/jobs/jobs.hpp"

namespace stoker {

namespace {

std::optional<Instant> limit_of(const Stage& stage) {
  if (!stage.spec.time_limit || !stage.first_launch)
    return std::nullopt;
  return *stage.first_launch + *stage.spec.time_limit;
}

} // namespace

void end_late_jobs(JobStep& step) {
  // Jobs take stages with them.
  auto active = step.state.active;
  for (auto id : active) {
    auto found = step.state.stages.find(id);
    if (found == step.state.stages.end())
      continue;
    const auto& stage = found->second;
    if (auto limit = limit_of(stage); limit && *limit <= step.now)
      fail_jobs_of(step, stage,
                   "stage '" + stage.spec.name
                       + "' took longer than its time limit, "
                       + format_duration(*stage.spec.time_limit),
                   {});
  }
}

std::optional<Instant> next_time_limit(const JobsState& state) {
  std::optional<Instant> result;
  for (auto id : state.active)
    result = earlier(result, limit_of(state.stages.at(id)));
  return result;
}

void expire_exclusions(JobStep& step) {
  if (!step.state.exclusions.expire(step.now))
    return;
  for (auto id : step.state.active)
    step.state.stages.at(id).looked_everywhere = false;
}

} // namespace stoker
