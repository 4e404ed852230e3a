#include "embedding/job_settings.hpp"

#include <cctype>

#include "embedding/setting_parts.hpp"

namespace stoker {

namespace {

/// FIFO or FAIR, in any case.
Setter mode(SchedulingMode& target) {
  auto parse = [](const std::string& text) -> std::optional<SchedulingMode> {
    std::string upper;
    for (auto c : text)
      upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (upper != "FIFO" && upper != "FAIR")
      return std::nullopt;
    return upper == "FAIR" ? SchedulingMode::FAIR : SchedulingMode::FIFO;
  };
  return setters::setter(target, parse, "FIFO or FAIR");
}

Setters setters_of(ExclusionConfig& x) {
  return {
      {"spark.excludeOnFailure.enabled", setters::flag(x.enabled)},
      {"spark.excludeOnFailure.timeout", setters::duration(x.timeout)},
      {"spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor",
       setters::count(x.task_attempts_per_executor_max)},
      {"spark.excludeOnFailure.task.maxTaskAttemptsPerNode",
       setters::count(x.task_attempts_per_host_max)},
      {"spark.excludeOnFailure.stage.maxFailedTasksPerExecutor",
       setters::count(x.stage_failures_per_executor_max)},
      {"spark.excludeOnFailure.stage.maxFailedExecutorsPerNode",
       setters::count(x.stage_executors_per_host_max)},
      {"spark.excludeOnFailure.application.maxFailedTasksPerExecutor",
       setters::count(x.application_failures_per_executor_max)},
      {"spark.excludeOnFailure.application.maxFailedExecutorsPerNode",
       setters::count(x.application_executors_per_host_max)},
      {"spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout",
       setters::duration(x.unschedulable_timeout)},
  };
}

Setters setters_of(LeavingConfig& x) {
  return {
      {"spark.decommission.enabled", setters::flag(x.tasks_may_end)},
      {"spark.executor.decommission.forceKillTimeout",
       setters::duration(x.force_kill_timeout)},
      {"spark.executor.decommission.killInterval",
       [&x](const std::string& value) -> std::optional<std::string> {
         x.kill_interval = parse_duration(value);
         return x.kill_interval
                    ? std::nullopt
                    : std::optional<std::string>{"a duration like 2min"};
       }},
  };
}

Setters barrier_setters(JobSettings& settings) {
  auto& x = settings.jobs.barrier;
  return {
      {"spark.barrier.sync.timeout", setters::duration(x.sync_timeout)},
      {"spark.scheduler.barrier.maxConcurrentTasksCheck.interval",
       setters::duration(x.slots_check_interval)},
      {"spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures",
       setters::count(x.slots_checks_max)},
      {"stoker.barrier.hold.timeout",
       setters::duration(settings.allocation.gang_hold_timeout)},
      {"stoker.barrier.reserve.after", setters::duration(x.reserve_after)},
      {"stoker.barrier.reserve.timeout", setters::duration(x.reserve_for)},
  };
}

Setters setters_of(JobSettings& x) {
  auto& jobs = x.jobs;
  auto result = setters_of(jobs.exclusion);
  result.merge(setters_of(jobs.leaving));
  result.merge(barrier_setters(x));
  auto& speculation = jobs.speculation;
  result.merge(Setters{
      {"spark.driver.host", setters::text(x.driver_host)},
      {"spark.driver.port", setters::count(x.driver_port)},
      {"spark.executor.heartbeatInterval",
       setters::duration(jobs.heartbeats.interval)},
      {"spark.network.timeout", setters::duration(jobs.heartbeats.timeout)},
      {"spark.scheduler.mode", mode(jobs.mode)},
      {"spark.scheduler.pool", setters::text(x.pool)},
      {"spark.task.cpus", setters::count(x.task_cores)},
      {"spark.stage.maxConsecutiveAttempts",
       setters::count(x.stage_attempts_max)},
      {"spark.task.maxFailures", setters::count(x.task_failures_max)},
      {"spark.locality.wait",
       [&jobs](const std::string& value) -> std::optional<std::string> {
         auto wait = parse_duration(value);
         if (!wait)
           return "a duration like 3s";
         jobs.wait_for_process = jobs.wait_for_host = *wait;
         return std::nullopt;
       }},
      {"spark.locality.wait.process", setters::duration(jobs.wait_for_process)},
      {"spark.locality.wait.node", setters::duration(jobs.wait_for_host)},
      {"spark.speculation", setters::flag(speculation.enabled)},
      {"spark.speculation.interval", setters::duration(speculation.interval)},
      {"spark.speculation.quantile", setters::fraction(speculation.quantile)},
      {"spark.speculation.multiplier",
       setters::fraction(speculation.multiplier)},
      {"spark.speculation.minTaskRuntime",
       setters::duration(speculation.min_run_time)},
  });
  return result;
}

std::vector<SettingPart> parts_of(JobSettings& x) {
  return {application_part(x.application),
          {setters_of(x), {}},
          {allocation_setters(x.allocation), {}}};
}

} // namespace

Status apply_settings(const std::vector<Setting>& settings,
                      JobSettings& target) {
  if (auto applied = apply_settings(settings, parts_of(target)); !applied)
    return applied;
  if (target.driver_port < 0 || target.driver_port > 65'535)
    return invalid("spark.driver.port is not a port");
  if (target.task_cores < 1)
    return invalid("spark.task.cpus is below 1");
  if (target.task_failures_max < 1)
    return invalid("spark.task.maxFailures is below 1");
  if (target.task_failures_max > max_failures_max)
    return invalid("spark.task.maxFailures is above "
                   + std::to_string(max_failures_max));
  if (target.stage_attempts_max < 1)
    return invalid("spark.stage.maxConsecutiveAttempts is below 1");
  if (target.stage_attempts_max > max_failures_max)
    return invalid("spark.stage.maxConsecutiveAttempts is above "
                   + std::to_string(max_failures_max));
  const auto& allocation = target.allocation;
  if (auto begun = begin_allocation(allocation, target.application); !begun)
    return begun;
  // How many there should be depends on how many tasks one of them can run.
  if (allocation.enabled)
    target.application.cores_per_executor = allocation.executor_cores;
  if (allocation.gang_hold_timeout.count() < 0)
    return invalid("stoker.barrier.hold.timeout is below 0");
  return validate(target.jobs);
}

std::vector<std::string> job_setting_names() {
  JobSettings settings;
  return names_in(parts_of(settings));
}

} // namespace stoker
