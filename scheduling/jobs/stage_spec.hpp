#pragma once

// What an application wants done: stages of tasks, and jobs that need their results.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "messages/task.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

/// Where a task had better run.
struct TaskPlace {
  std::string host;

  /// The executor whose process has what the task needs.
  std::optional<int> exec_id;

  friend bool operator==(const TaskPlace&, const TaskPlace&) = default;
};
BOOST_DESCRIBE_STRUCT(TaskPlace, (), (host, exec_id))

/// Tasks that do the same to different parts of the data. What they write is kept
/// for tasks of other stages, or goes to the job's owner.
struct StageSpec {
  StageId id;
  std::string name;
  int tasks = 1;

  /// What they read; tasks begin when all of it is there.
  std::vector<StageDependency> reads;

  /// By task; empty: anywhere. A task without places goes where most of what it
  /// reads from one task is, if that is one.
  std::vector<std::vector<TaskPlace>> places;

  /// Of each task [spark.task.cpus].
  int cores = 1;

  /// A task may fail so many times [spark.task.maxFailures]; a barrier stage, by any of its
  /// tasks [spark.stage.maxConsecutiveAttempts].
  int max_failures = 4;

  /// Of a barrier stage: whether a task has failed whose program was killed from outside
  /// (exit_status.hpp). If not, it counts as one that is lost with its executor.
  bool kills_count = true;

  /// From the first launch until all tasks are done.
  std::optional<Duration> time_limit;

  /// What its tasks write goes to the owner of the one job that has this stage.
  bool is_result = false;

  /// Its tasks begin together or not at all, and are tried again together (document
  /// 003).
  bool is_barrier = false;
};
BOOST_DESCRIBE_STRUCT(StageSpec, (),
                      (id, name, tasks, reads, places, cores, max_failures,
                       kills_count, time_limit, is_result, is_barrier))

/// Cores that have to be free for it to begin, with a barrier.
inline std::int64_t cores_at_once(const StageSpec& x) {
  return std::int64_t{x.tasks} * x.cores;
}

/// Ends when all of its results are there. Stages that are known from earlier jobs
/// are taken as they are, with what is there of their outputs.
struct JobSpec {
  JobId id;
  std::string name;

  /// With whom it shares the executors [spark.scheduler.pool].
  std::string pool = "default";
  std::vector<StageSpec> stages;
};
BOOST_DESCRIBE_STRUCT(JobSpec, (), (id, name, pool, stages))

inline constexpr int max_failures_max = 250;
inline constexpr int tasks_max = 10'000'000;
inline constexpr std::size_t stages_max = 10'000;

/// Says what is wrong, and with which stage: no task, an unknown stage, a circle, a
/// narrow dependency between different numbers of tasks, a result that is read.
Status validate(const JobSpec& job);

/// A stage in `job.stages`; null: it is none of them.
const StageSpec* find_stage(const JobSpec& job, StageId id);

} // namespace stoker
