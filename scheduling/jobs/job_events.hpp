#pragma once

// What happens to a driver's jobs, and what follows.

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/task.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/jobs/stage_spec.hpp"

namespace stoker {

// -- events -------------------------------------------------------------------

/// @pre validate(job)
struct JobSubmitted {
  JobSpec job;
};
BOOST_DESCRIBE_STRUCT(JobSubmitted, (), (job))

enum class JobOutcome { succeeded, failed, cancelled };
BOOST_DESCRIBE_ENUM(JobOutcome, succeeded, failed, cancelled)

/// The job's owner does not want it any more, or, as `failed`, cannot go on with it.
struct JobCancelled {
  JobId job;
  std::string why;
  JobOutcome outcome = JobOutcome::cancelled;
};
BOOST_DESCRIBE_STRUCT(JobCancelled, (), (job, why, outcome))

/// No job will be submitted any more that has these stages.
struct StagesReleased {
  std::vector<StageId> stages;
};
BOOST_DESCRIBE_STRUCT(StagesReleased, (), (stages))

/// An executor's connection broke.
struct ExecutorDisconnected {
  int exec_id = 0;
};
BOOST_DESCRIBE_STRUCT(ExecutorDisconnected, (), (exec_id))

/// Why an executor's tasks are no more.
enum class ExecutorLoss {
  /// Nobody knows yet, or something else ended it: its worker, a signal, a kill that
  /// somebody asked for.
  from_outside,
  /// By itself.
  by_itself,
};
BOOST_DESCRIBE_ENUM(ExecutorLoss, from_outside, by_itself)

/// The master has told of an executor's end.
struct ExecutorEnded {
  int exec_id = 0;
  ExecutorLoss loss = ExecutorLoss::from_outside;

  /// "exit code 3", for people.
  std::string why;
};
BOOST_DESCRIBE_STRUCT(ExecutorEnded, (), (exec_id, loss, why))

/// An executor is to leave: somebody wants to remove it. It gets no task any more, and
/// those that have begun there may end, for a while. Followed by ExecutorDrained. Saying
/// it again changes nothing.
struct DecommissionExecutor {
  int exec_id = 0;

  /// "it is not needed", for people.
  std::string why;
};
BOOST_DESCRIBE_STRUCT(DecommissionExecutor, (), (exec_id, why))

/// An executor that was to leave is wanted after all. Answered by ExecutorKept, or not
/// at all: then it is too late.
struct KeepExecutor {
  int exec_id = 0;
};
BOOST_DESCRIBE_STRUCT(KeepExecutor, (), (exec_id))

/// The master has lost a worker, with the outputs that it serves.
struct OutputsGone {
  WorkerId worker_id;
};
BOOST_DESCRIBE_STRUCT(OutputsGone, (), (worker_id))

/// What FetchResult asked for. An error: it cannot be had.
struct ResultFetched {
  TaskAttempt id;
  std::string error;
};
BOOST_DESCRIBE_STRUCT(ResultFetched, (), (id, error))

struct JobsTick {};
BOOST_DESCRIBE_STRUCT(JobsTick, (), ())

using JobsEvent
    = std::variant<JobSubmitted, JobCancelled, StagesReleased, RegisterExecutor,
                   ExecutorHeartbeat, ExecutorDisconnected, ExecutorEnded,
                   OutputsGone, StatusUpdates, ResultFetched, JobsTick,
                   DecommissionExecutor, KeepExecutor>;

// -- effects: to an executor --------------------------------------------------

/// Send DescribeStage.
struct TellStage {
  int exec_id = 0;
  StageId stage;
};
BOOST_DESCRIBE_STRUCT(TellStage, (), (exec_id, stage))

/// Send StageOutputs. Several executors share one.
struct TellOutputs {
  int exec_id = 0;
  std::shared_ptr<const StageOutputs> outputs;
};

/// Send LaunchTasks.
struct StartTasks {
  int exec_id = 0;
  std::vector<TaskAttempt> tasks;
};
BOOST_DESCRIBE_STRUCT(StartTasks, (), (exec_id, tasks))

/// Send KillTask.
struct EndTask {
  int exec_id = 0;
  TaskAttempt id;
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(EndTask, (), (exec_id, id, reason))

/// Send ReturnTasks.
struct AskForTasks {
  int exec_id = 0;
  int count = 0;
};
BOOST_DESCRIBE_STRUCT(AskForTasks, (), (exec_id, count))

/// Send ForgetStages to all.
struct DropStages {
  std::vector<StageId> stages;
};
BOOST_DESCRIBE_STRUCT(DropStages, (), (stages))

// -- effects: to whoever lets the tasks of a barrier stage wait for each other ----------

/// All tasks of an attempt at a barrier stage begin: what they were sent follows. Each
/// TaskAttempt of them has the number of this attempt.
struct BarrierAttemptBegun {
  StageId stage;
  int attempt = 0;

  /// Where each runs, by task.
  std::vector<int> exec_ids;
};
BOOST_DESCRIBE_STRUCT(BarrierAttemptBegun, (), (stage, attempt, exec_ids))

/// One of them did what it should: it comes to no barrier any more.
struct BarrierTaskFinished {
  TaskAttempt id;
};
BOOST_DESCRIBE_STRUCT(BarrierTaskFinished, (), (id))

/// All of them have, or none counts any more.
struct BarrierAttemptEnded {
  StageId stage;
  int attempt = 0;
};
BOOST_DESCRIBE_STRUCT(BarrierAttemptEnded, (), (stage, attempt))

// -- effects: to whoever removes executors --------------------------------------

/// No task counts any more that is at an executor that was to leave, and none will come:
/// it may be removed. Said once, unless it was kept meanwhile; not of one of whose end
/// the master has told.
struct ExecutorDrained {
  int exec_id = 0;
};
BOOST_DESCRIBE_STRUCT(ExecutorDrained, (), (exec_id))

/// It gets tasks again: it must not be removed.
struct ExecutorKept {
  int exec_id = 0;
};
BOOST_DESCRIBE_STRUCT(ExecutorKept, (), (exec_id))

/// It has said nothing for long, though its connection is there: it is lost, and stands
/// still. Ask the master to end it. Said again every JobsConfig::heartbeats.interval until
/// the master has told of its end.
struct ExecutorSilent {
  int exec_id = 0;
};
BOOST_DESCRIBE_STRUCT(ExecutorSilent, (), (exec_id))

// -- effects: to whoever asks for executors -------------------------------------

/// A second attempt is wanted beside this one, and no executor has room for it. It is
/// wanted until it begins, this one counts no more, or its stage has to wait for what it
/// reads. Said once each time that it becomes wanted.
struct SecondAttemptWanted {
  TaskAttempt id;
};
BOOST_DESCRIBE_STRUCT(SecondAttemptWanted, (), (id))

// -- effects: to the job's owner ----------------------------------------------

/// Fetch a result that is too large for a status. Feed ResultFetched back.
struct FetchResult {
  TaskAttempt id;
  OutputServer server;
};
BOOST_DESCRIBE_STRUCT(FetchResult, (), (id, server))

/// A task's result counts; once for each task. It is what came with its status, or
/// was fetched, or written to a file.
struct AcceptResult {
  JobId job;
  TaskAttempt id;
  std::optional<std::string> result;
};
BOOST_DESCRIBE_STRUCT(AcceptResult, (), (job, id, result))

/// Nothing more comes of the job. What its tasks wrote and was not accepted is of no
/// use.
struct JobEnded {
  JobId job;
  JobOutcome outcome = JobOutcome::succeeded;

  /// Of `failed` and `cancelled`: one line.
  std::string why;

  /// Of a task that failed: the last of its standard error, and how its program ended,
  /// as a shell reports it.
  std::string last_lines;
  std::optional<int> exit_status;
};
BOOST_DESCRIBE_STRUCT(JobEnded, (),
                      (job, outcome, why, last_lines, exit_status))

// -- effects: news, for people ------------------------------------------------

/// Tasks of the stage begin; those that were lost, if it is not the first time.
struct StageStarted {
  StageId stage;
  int tasks = 0;
};
BOOST_DESCRIBE_STRUCT(StageStarted, (), (stage, tasks))

/// All of its tasks are done.
struct StageCompleted {
  StageId stage;
};
BOOST_DESCRIBE_STRUCT(StageCompleted, (), (stage))

struct AttemptFailed {
  TaskAttempt id;
  int exec_id = 0;
  std::string host;
  std::string why;
  std::string last_lines;

  /// How often the task has failed; 0: this is not counted.
  int failures = 0;
};
BOOST_DESCRIBE_STRUCT(AttemptFailed, (),
                      (id, exec_id, host, why, last_lines, failures))

struct OutputsLost {
  StageId stage;
  int count = 0;
  std::string why;
};
BOOST_DESCRIBE_STRUCT(OutputsLost, (), (stage, count, why))

// -- effects: time ------------------------------------------------------------

/// Feed JobsTick back at `when`.
struct JobsWakeAt {
  Instant when;
};
BOOST_DESCRIBE_STRUCT(JobsWakeAt, (), (when))

/// To be carried out in order: an executor is told of a stage before its first task.
using JobsEffect
    = std::variant<TellStage, TellOutputs, StartTasks, EndTask, AskForTasks,
                   DropStages, FetchResult, AcceptResult, JobEnded,
                   StageStarted, StageCompleted, AttemptFailed, OutputsLost,
                   JobsWakeAt, ExecutorDrained, ExecutorKept, ExecutorSilent,
                   SecondAttemptWanted, BarrierAttemptBegun,
                   BarrierTaskFinished, BarrierAttemptEnded>;
using JobsEffects = std::vector<JobsEffect>;

} // namespace stoker
