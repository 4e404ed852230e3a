#pragma once

#include <string>
#include <vector>

#include "embedding/settings.hpp"
#include "messages/descriptions.hpp"
#include "messages/result.hpp"
#include "scheduling/allocation/allocation_settings.hpp"
#include "scheduling/jobs/jobs_config.hpp"
#include "scheduling/jobs/stage_spec.hpp"

namespace stoker {

/// What the settings of a job are about, besides its executors.
struct JobSettings {
  ApplicationDescription application;
  JobsConfig jobs;

  /// Whether and how its executors follow its load.
  AllocationSettings allocation;

  /// Where executors reach the driver. Empty: by the way that it reaches its master.
  std::string driver_host;
  int driver_port = 0;

  /// Of stages that do not say it themselves.
  int task_cores = 1;
  int task_failures_max = 4;

  /// Of barrier stages.
  int stage_attempts_max = 4;

  std::string pool = "default";
};

/// Those of an application, and: spark.driver.host, spark.driver.port,
/// spark.scheduler.mode, spark.scheduler.pool, spark.locality.wait, .process and .node,
/// spark.task.cpus, spark.task.maxFailures, spark.speculation and its further names,
/// spark.excludeOnFailure.*, spark.barrier.sync.timeout,
/// spark.scheduler.barrier.maxConcurrentTasksCheck.*, spark.stage.maxConsecutiveAttempts,
/// stoker.barrier.*, spark.dynamicAllocation.*, spark.executor.instances. Says in
/// `application` with how many executors it begins. Fails as `apply_settings` of the others.
Status apply_settings(const std::vector<Setting>& settings,
                      JobSettings& target);

/// The names that it takes, sorted. NAME stands for a resource's.
std::vector<std::string> job_setting_names();

} // namespace stoker
