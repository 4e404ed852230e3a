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

void note_first_launch(JobStep& step, Stage& stage) {
  stage.first_launch = step.now;
  if (auto limit = limit_of(stage))
    step.state.time_limits.emplace(*limit, stage.spec.id);
}

void end_late_jobs(JobStep& step) {
  auto& limits = step.state.time_limits;
  while (!limits.empty() && limits.begin()->first <= step.now) {
    auto [when, id] = *limits.begin();
    limits.erase(limits.begin());
    auto found = step.state.stages.find(id);
    if (found == step.state.stages.end())
      continue;
    const auto& stage = found->second;
    if (limit_of(stage) == when)
      fail_jobs_of(step, stage,
                   "stage '" + stage.spec.name
                       + "' took longer than its time limit, "
                       + format_duration(*stage.spec.time_limit));
  }
}

std::optional<Instant> next_time_limit(const JobsState& state) {
  return state.time_limits.empty()
             ? std::nullopt
             : std::optional{state.time_limits.begin()->first};
}

void expire_exclusions(JobStep& step) {
  auto excluded = step.state.exclusions.expire(step.now);
  auto full = step.state.full_disks.expire(step.now);
  if (!excluded && !full)
    return;
  for (auto id : step.state.active)
    step.state.stages.change(id).looked_everywhere = false;
}

} // namespace stoker
