#include "scheduling/jobs/jobs_config.hpp"

namespace stoker {

namespace {

Error wrong(const std::string& what) {
  return Error{Errc::invalid_request, what};
}

} // namespace

Status validate(const JobsConfig& x) {
  for (const auto& [name, pool] : x.pools) {
    if (pool.weight < 1)
      return wrong("the weight of pool '" + name + "' is not above 0");
    if (pool.min_share < 0)
      return wrong("the least share of pool '" + name + "' is below 0");
  }
  for (auto wait : {x.wait_for_process, x.wait_for_host, x.wait_for_other,
                    x.queued_work, x.executor_gone_after})
    if (wait.count() < 0)
      return wrong("a waiting time is below 0");
  if (x.queued_tasks_max < 0)
    return wrong("the number of tasks sent ahead is below 0");
  const auto& speculation = x.speculation;
  if (!(speculation.quantile >= 0 && speculation.quantile <= 1))
    return wrong("spark.speculation.quantile is not between 0 and 1");
  if (!(speculation.multiplier > 1))
    return wrong("spark.speculation.multiplier is not above 1");
  if (speculation.interval.count() <= 0)
    return wrong("spark.speculation.interval is not above 0");
  const auto& exclusion = x.exclusion;
  for (auto most : {exclusion.task_attempts_per_executor_max,
                    exclusion.task_attempts_per_host_max,
                    exclusion.stage_failures_per_executor_max,
                    exclusion.stage_executors_per_host_max,
                    exclusion.application_failures_per_executor_max,
                    exclusion.application_executors_per_host_max,
                    x.lost_executors_max, x.remade_outputs_max})
    if (most < 1)
      return wrong("a number of failures is below 1");
  if (exclusion.timeout.count() <= 0)
    return wrong("spark.excludeOnFailure.timeout is not above 0");
  if (x.leaving.force_kill_timeout.count() < 0)
    return wrong("spark.executor.decommission.forceKillTimeout is below 0");
  if (x.leaving.kill_interval && x.leaving.kill_interval->count() < 0)
    return wrong("spark.executor.decommission.killInterval is below 0");
  if (x.heartbeats.interval.count() < 0)
    return wrong("spark.executor.heartbeatInterval is below 0");
  if (x.heartbeats.interval.count() > 0
      && x.heartbeats.timeout <= x.heartbeats.interval)
    return wrong("spark.network.timeout is not above "
                 "spark.executor.heartbeatInterval");
  const auto& barrier = x.barrier;
  if (barrier.sync_timeout.count() <= 0)
    return wrong("spark.barrier.sync.timeout is not above 0");
  if (barrier.slots_check_interval.count() <= 0)
    return wrong("spark.scheduler.barrier.maxConcurrentTasksCheck.interval is "
                 "not above 0");
  if (barrier.slots_checks_max < 1)
    return wrong("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures "
                 "is below 1");
  if (barrier.reserve_after.count() < 0)
    return wrong("stoker.barrier.reserve.after is below 0");
  if (barrier.reserve_for.count() < 0)
    return wrong("stoker.barrier.reserve.timeout is below 0");
  return {};
}

} // namespace stoker
