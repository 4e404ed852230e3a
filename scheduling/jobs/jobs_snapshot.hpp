#pragma once

// What a JobScheduler knows, for people and machines that ask.

#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/job_ids.hpp"
#include "scheduling/jobs/job_state.hpp"

namespace stoker {

/// One that has not ended.
struct JobSnapshot {
  JobId id;
  std::string name;
  std::string pool;

  /// Stages whose results are missing.
  std::vector<StageId> results_missing;
};
BOOST_DESCRIBE_STRUCT(JobSnapshot, (), (id, name, pool, results_missing))

/// WAITING: for what it reads, or for a job that needs it.
enum class StagePhase { WAITING, ACTIVE, COMPLETE };
BOOST_DESCRIBE_ENUM(StagePhase, WAITING, ACTIVE, COMPLETE)

/// Each task of a stage is pending, running or done.
struct StageSnapshot {
  StageId id;
  std::string name;
  StagePhase phase = StagePhase::WAITING;
  int tasks = 0;
  int done = 0;
  int running = 0;
  int pending = 0;

  /// How often the task has failed that failed most.
  int failures = 0;

  /// Jobs that have not ended and have this stage.
  std::vector<JobId> jobs;
};
BOOST_DESCRIBE_STRUCT(StageSnapshot, (),
                      (id, name, phase, tasks, done, running, pending, failures,
                       jobs))

struct JobExecutorSnapshot {
  int exec_id = 0;
  WorkerId worker_id;
  std::string host;
  int cores = 0;
  int cores_used = 0;

  /// Tasks that it has begun, and those that it was sent ahead.
  int running = 0;
  int waiting = 0;

  /// Its connection is there. Others have not ended, as far as is known.
  bool connected = true;

  /// It gets no tasks any more: it is to be removed.
  bool leaving = false;
};
BOOST_DESCRIBE_STRUCT(JobExecutorSnapshot, (),
                      (exec_id, worker_id, host, cores, cores_used, running,
                       waiting, connected, leaving))

struct JobsSnapshot {
  std::vector<JobSnapshot> jobs;
  std::vector<StageSnapshot> stages;
  std::vector<JobExecutorSnapshot> executors;
};
BOOST_DESCRIBE_STRUCT(JobsSnapshot, (), (jobs, stages, executors))

/// Each in the order of its numbers.
[[nodiscard]] JobsSnapshot snapshot(const JobsState& state);

} // namespace stoker
