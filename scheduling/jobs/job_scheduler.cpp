#include "scheduling/jobs/job_scheduler.hpp"

#include <cassert>
#include <utility>

#include "scheduling/jobs/barrier_waiting.hpp"
#include "scheduling/jobs/executors.hpp"
#include "scheduling/jobs/job_step.hpp"
#include "scheduling/jobs/jobs.hpp"
#include "scheduling/jobs/leaving.hpp"
#include "scheduling/jobs/offers.hpp"
#include "scheduling/jobs/speculation.hpp"
#include "scheduling/jobs/stages.hpp"
#include "scheduling/jobs/tasks.hpp"
#include "scheduling/jobs/time_limits.hpp"
#include "scheduling/jobs/unschedulable.hpp"

namespace stoker {

namespace {

/// Time has passed: that is looked at in each step.
void on(JobStep&, const JobsTick&) {
}

/// The first of all deadlines.
std::optional<Instant> next_deadline(const JobsState& state, Instant now) {
  auto result = earlier(next_offer(state, now), next_speculation(state));
  result = earlier(result, next_time_limit(state));
  result = earlier(result, next_unschedulable(state));
  result = earlier(result, state.exclusions.next(now));
  result = earlier(result, state.full_disks.next());
  result = earlier(result, next_leaving(state));
  result = earlier(result, next_look(state));
  result = earlier(result, state.silent.next(state.config.heartbeats));
  for (auto exec_id : state.disconnected)
    result = earlier(result, *state.executors.find(exec_id)->disconnected
                                 + state.config.executor_gone_after);
  return result;
}

} // namespace

JobScheduler::JobScheduler(JobsConfig config) {
  assert(validate(config));
  state_.config = std::move(config);
}

JobsEffects JobScheduler::step(Instant now, const JobsEvent& what) {
  JobsEffects effects;
  JobStep step{now, state_, effects, {}};
  wake_up_.came(now);
  std::visit([&](const auto& x) { on(step, x); }, what);
  lose_disconnected(step);
  lose_silent(step);
  end_tasks_of_leaving(step);
  end_late_jobs(step);
  expire_exclusions(step);
  end_unschedulable_jobs(step);
  look_at_waiting(step);
  update_active_stages(step);
  make_offers(step);
  speculate(step);
  tell_drained(step);
  update_order(state_);
  send_launches(step);
  if (auto when = wake_up_.ask_for(next_deadline(state_, now)))
    step.add(JobsWakeAt{*when});
  return effects;
}

Status may_run(const JobsConfig& config, const JobSpec& job) {
  if (auto valid = validate(job); !valid)
    return valid;
  for (const auto& stage : job.stages)
    if (stage.is_barrier && config.speculation.enabled)
      return Error{Errc::invalid_request,
                   "stage '" + stage.name
                       + "' is a barrier stage, and no task of it may have a "
                         "second attempt beside the first: set "
                         "spark.speculation to false"};
  return {};
}

Status may_submit(const JobsState& state, const JobSpec& job) {
  if (auto valid = may_run(state.config, job); !valid)
    return valid;
  if (state.jobs.contains(job.id))
    return Error{Errc::invalid_request,
                 "job " + to_string(job.id) + " is there already"};
  for (const auto& stage : job.stages) {
    auto known = state.stages.find(stage.id);
    if (known != state.stages.end()
        && (stage.is_result || !(known->second.spec == stage)))
      return Error{Errc::invalid_request,
                   "stage '" + stage.name
                       + "' has the number of an earlier one"};
  }
  return {};
}

} // namespace stoker
