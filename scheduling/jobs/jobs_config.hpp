#pragma once

#include <map>
#include <optional>
#include <string>

#include "messages/describe.hpp"
#include "messages/result.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

/// FIFO: by the job's number. FAIR: what has less than its share goes first.
enum class SchedulingMode { FIFO, FAIR };
BOOST_DESCRIBE_ENUM(SchedulingMode, FIFO, FAIR)

/// Jobs that share what the pool gets.
struct PoolConfig {
  SchedulingMode mode = SchedulingMode::FIFO;
  int weight = 1;

  /// Cores that it gets before others get more than theirs.
  int min_share = 0;
};
BOOST_DESCRIBE_STRUCT(PoolConfig, (), (mode, weight, min_share))

/// Keeps tasks from executors and hosts where they failed [spark.excludeOnFailure.*].
struct ExclusionConfig {
  bool enabled = false;
  Duration timeout = std::chrono::hours{1};
  int task_attempts_per_executor_max = 1;
  int task_attempts_per_host_max = 2;
  int stage_failures_per_executor_max = 2;
  int stage_executors_per_host_max = 2;
  int application_failures_per_executor_max = 2;
  int application_executors_per_host_max = 2;

  /// A stage whose tasks may run nowhere because of that fails its jobs after so long
  /// [spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout].
  Duration unschedulable_timeout = std::chrono::seconds{120};
};
BOOST_DESCRIBE_STRUCT(
    ExclusionConfig, (),
    (enabled, timeout, task_attempts_per_executor_max,
     task_attempts_per_host_max, stage_failures_per_executor_max,
     stage_executors_per_host_max, application_failures_per_executor_max,
     application_executors_per_host_max, unschedulable_timeout))

/// A second attempt beside one that takes long [spark.speculation.*].
struct SpeculationConfig {
  bool enabled = false;
  Duration interval = std::chrono::milliseconds{100};

  /// So much of the stage has to be done.
  double quantile = 0.75;

  /// So many times the median is long.
  double multiplier = 1.5;
  Duration min_run_time = std::chrono::milliseconds{100};
};
BOOST_DESCRIBE_STRUCT(SpeculationConfig, (),
                      (enabled, interval, quantile, multiplier, min_run_time))

/// What becomes of the tasks of executors that are to leave.
struct LeavingConfig {
  /// They may end first [spark.decommission.enabled]. Otherwise they are ended at once.
  /// Either way those that were ended run elsewhere.
  bool tasks_may_end = true;

  /// So long [spark.executor.decommission.forceKillTimeout].
  Duration force_kill_timeout = std::chrono::minutes{10};

  /// After so long something else ends the executor, as far as is known: speculation
  /// begins a second attempt beside a task that may not end before that
  /// [spark.executor.decommission.killInterval].
  std::optional<Duration> kill_interval;
};
BOOST_DESCRIBE_STRUCT(LeavingConfig, (),
                      (tasks_may_end, force_kill_timeout, kill_interval))

/// Stages whose tasks begin together, and are tried again together (document 003).
struct BarrierConfig {
  /// A task waits for the others for at most so long [spark.barrier.sync.timeout].
  Duration sync_timeout = std::chrono::hours{24 * 365};

  /// How often it is looked whether all executors together could run all tasks of a stage
  /// that waits, and after how many times in a row that they could not its jobs fail
  /// [spark.scheduler.barrier.maxConcurrentTasksCheck.interval, .maxFailures].
  Duration slots_check_interval = std::chrono::seconds{15};
  int slots_checks_max = 40;

  /// A stage that waits holds nothing. When it has waited for so long (0: never), stages
  /// that come after it get no slots for a while, if there are enough in all
  /// [stoker.barrier.reserve.after, .timeout].
  Duration reserve_after = std::chrono::minutes{1};
  Duration reserve_for = std::chrono::minutes{2};
};
BOOST_DESCRIBE_STRUCT(BarrierConfig, (),
                      (sync_timeout, slots_check_interval, slots_checks_max,
                       reserve_after, reserve_for))

/// Executors say every so often that they are there. A connection may stay when nobody is
/// at its other end any more.
struct HeartbeatConfig {
  /// 0: they do not, and none is missed [spark.executor.heartbeatInterval].
  Duration interval = std::chrono::seconds{10};

  /// One that has said nothing for so long is lost, and is ended. Above `interval`
  /// [spark.network.timeout].
  Duration timeout = std::chrono::seconds{120};
};
BOOST_DESCRIBE_STRUCT(HeartbeatConfig, (), (interval, timeout))

/// How a driver shares its executors between its jobs. In brackets: Spark's names.
struct JobsConfig {
  /// Between pools [spark.scheduler.mode].
  SchedulingMode mode = SchedulingMode::FIFO;

  /// Pools that are not named here have the defaults.
  std::map<std::string, PoolConfig> pools;

  /// A slot is kept free for so long for a task that had better run there
  /// [spark.locality.wait.process, spark.locality.wait.node].
  Duration wait_for_process = std::chrono::seconds{3};
  Duration wait_for_host = std::chrono::seconds{3};

  /// A task that failed waits so long for another executor than that one.
  Duration wait_for_other = std::chrono::seconds{3};

  ExclusionConfig exclusion;
  SpeculationConfig speculation;
  LeavingConfig leaving;
  BarrierConfig barrier;
  HeartbeatConfig heartbeats;

  /// Short tasks are sent ahead, as many as take so long: an executor need not ask
  /// for the next one.
  Duration queued_work = std::chrono::milliseconds{20};
  int queued_tasks_max = 512;

  /// How long an executor whose connection is gone may take to be known as ended.
  Duration executor_gone_after = std::chrono::seconds{1};

  /// An attempt that ends with its executor is not the task's failure, as long as
  /// there are not so many of them.
  int lost_executors_max = 10;

  /// Nor is an output that cannot be read, as long as the same one is not made again
  /// more often.
  int remade_outputs_max = 4;
};
BOOST_DESCRIBE_STRUCT(JobsConfig, (),
                      (mode, pools, wait_for_process, wait_for_host,
                       wait_for_other, exclusion, speculation, leaving, barrier,
                       heartbeats, queued_work, queued_tasks_max,
                       executor_gone_after, lost_executors_max,
                       remade_outputs_max))

Status validate(const JobsConfig& x);

} // namespace stoker
