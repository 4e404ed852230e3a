#include "scheduling/jobs/jobs_snapshot.hpp"

namespace stoker {

namespace {

StageSnapshot snapshot_of(const Stage& x) {
  StageSnapshot result;
  result.id = x.spec.id;
  result.name = x.spec.name;
  result.tasks = x.spec.tasks;
  result.pending = x.spec.tasks;
  result.jobs.assign(x.jobs.begin(), x.jobs.end());
  if (x.tasks) {
    result.done = x.tasks->done();
    result.running = x.tasks->running();
    result.pending = x.tasks->pending();
    result.failures = x.tasks->failures();
  }
  if (x.is_complete())
    result.phase = StagePhase::COMPLETE;
  else if (x.is_active)
    result.phase = StagePhase::ACTIVE;
  return result;
}

JobExecutorSnapshot snapshot_of(const JobExecutor& x) {
  return {x.exec_id,
          x.worker_id,
          x.host,
          x.cores,
          x.used_cores,
          static_cast<int>(x.assigned.size()) - x.waiting,
          x.waiting,
          !x.disconnected,
          x.leaves_since.has_value()};
}

} // namespace

JobsSnapshot snapshot(const JobsState& state) {
  JobsSnapshot result;
  for (const auto& [id, job] : state.jobs)
    result.jobs.push_back(
        {id,
         job.spec.name,
         job.spec.pool,
         {job.results_missing.begin(), job.results_missing.end()}});
  for (const auto& [id, stage] : state.stages)
    result.stages.push_back(snapshot_of(stage));
  for (const auto& [exec_id, executor] : state.executors.all())
    result.executors.push_back(snapshot_of(executor));
  return result;
}

} // namespace stoker
