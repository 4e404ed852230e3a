#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/describe.hpp"
#include "messages/result.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

/// How an application's executors follow its load. In brackets: Spark's names, without
/// `spark.dynamicAllocation.`
struct AllocationSettings {
  /// [enabled]
  bool enabled = false;

  /// [minExecutors, maxExecutors]
  int min_executors = 0;
  int max_executors = std::numeric_limits<int>::max();

  /// At the start, if it is more than the least [initialExecutors,
  /// spark.executor.instances].
  std::optional<int> initial_executors;
  std::optional<int> executor_instances;

  /// So much of what could run at once is asked for [executorAllocationRatio].
  double ratio = 1;

  /// Tasks wait so long before executors are added, and for each further step; unset:
  /// as long as before [schedulerBacklogTimeout, sustainedSchedulerBacklogTimeout].
  Duration backlog_timeout = std::chrono::seconds{1};
  std::optional<Duration> sustained_backlog_timeout;

  /// An executor may be idle for so long, and with cached blocks; unset: for ever
  /// [executorIdleTimeout, cachedExecutorIdleTimeout].
  Duration idle_timeout = std::chrono::seconds{60};
  std::optional<Duration> cached_idle_timeout;

  /// While a barrier stage waits for more executors, those that are idle meanwhile are
  /// given back after so long [stoker.barrier.hold.timeout].
  Duration gang_hold_timeout = std::chrono::seconds{30};

  /// [spark.executor.cores, spark.task.cpus]
  int executor_cores = 1;
  int task_cores = 1;
};
BOOST_DESCRIBE_STRUCT(AllocationSettings, (),
                      (enabled, min_executors, max_executors, initial_executors,
                       executor_instances, ratio, backlog_timeout,
                       sustained_backlog_timeout, idle_timeout,
                       cached_idle_timeout, gang_hold_timeout, executor_cores,
                       task_cores))

/// How many executors are wanted before anything is known of the load. Like Spark's, it
/// may be more than `max_executors`.
int initial_target(const AllocationSettings& x);

/// Tasks that an executor runs at once.
int slots(const AllocationSettings& x);

/// Says in one line which setting must not be so.
Status validate(const AllocationSettings& x);

/// Spark's names, sorted. Those of shuffle tracking and of the shuffle service are among
/// them, and change nothing: outputs outlive their executors anyway.
std::vector<std::string> allocation_setting_names();

/// Takes a value as Spark reads it: times are cut to whole seconds. Returns what was
/// expected instead, as "a whole number", if it is wrong.
/// @pre `name` is one of `allocation_setting_names()`
std::optional<std::string> set_allocation(AllocationSettings& x,
                                          const std::string& name,
                                          const std::string& value);

/// All settings by name; fails if one is unknown, wrong, or contradicts another.
Result<AllocationSettings>
read_allocation_settings(const std::map<std::string, std::string>& settings);

} // namespace stoker
