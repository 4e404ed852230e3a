#include "scheduling/jobs/jobs.hpp"

#include <cassert>

#include "scheduling/jobs/barrier_stages.hpp"
#include "scheduling/jobs/barrier_waiting.hpp"
#include "scheduling/jobs/stages.hpp"

namespace stoker {

void on(JobStep& step, const JobSubmitted& x) {
  auto& state = step.state;
  assert(validate(x.job) && !state.jobs.contains(x.job.id));
  auto& job = state.jobs[x.job.id];
  job.spec = x.job;
  for (const auto& spec : x.job.stages) {
    auto is_new = state.stages.add(spec);
    // A result belongs to one job.
    assert(is_new || !spec.is_result);
    if (is_new)
      state.needs.add(spec);
    state.stages.change(spec.id).jobs.insert(x.job.id);
    if (spec.is_result) {
      job.results_missing.insert(spec.id);
      state.needs.want(spec.id);
    }
  }
}

void on(JobStep& step, const JobCancelled& x) {
  end_job(step, JobEnded{x.job, x.outcome, x.why, {}, {}});
}

void on(JobStep& step, const StagesReleased& x) {
  DropStages dropped;
  for (auto id : x.stages) {
    auto found = step.state.stages.find(id);
    // A job that still needs it keeps it.
    if (found == step.state.stages.end() || !found->second.jobs.empty())
      continue;
    step.state.stages.erase(id);
    step.state.needs.erase(id);
    step.state.executors.forget(id);
    dropped.stages.push_back(id);
  }
  if (!dropped.stages.empty())
    step.add(std::move(dropped));
}

void end_job(JobStep& step, JobEnded x) {
  auto& state = step.state;
  auto found = state.jobs.extract(x.job);
  if (!found)
    return;
  DropStages dropped;
  for (const auto& spec : found.mapped().spec.stages) {
    auto& stage = state.stages.change(spec.id);
    stage.jobs.erase(x.job);
    if (stage.jobs.empty()) {
      if (stage.barrier && !stage.is_complete())
        restart_barrier_stage(step, stage, "the job has ended");
      else
        withdraw_attempts(step, stage, "the job has ended");
      stage.first_launch.reset();
    }
    if (!spec.is_result)
      continue;
    if (stage.barrier)
      end_waiting(state, stage);
    // Nobody else can need it.
    state.active.erase(spec.id);
    state.stages.erase(spec.id);
    state.needs.erase(spec.id);
    state.executors.forget(spec.id);
    dropped.stages.push_back(spec.id);
  }
  step.add(std::move(x));
  step.add(std::move(dropped));
}

void fail_jobs_of(JobStep& step, const Stage& stage, const std::string& why,
                  const TaskStatus* status) {
  // The stage may go with the last of them.
  auto jobs = stage.jobs;
  for (auto id : jobs)
    end_job(step, JobEnded{id, JobOutcome::failed, why,
                           status ? status->last_lines : "",
                           status ? status->exit_status : std::nullopt});
}

} // namespace stoker
