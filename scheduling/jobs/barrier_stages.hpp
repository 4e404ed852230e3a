#pragma once

// Attempts at barrier stages (document 003): all tasks of one do what they should, or it
// ends with the first that does not, and the whole stage is tried again.
//
//     waits --all begin--> runs --all are done--> complete
//       ^                    |                       |
//       |                    | one fails, or is lost | an output is lost
//       +-- all have ended --+-----------------------+

#include <optional>
#include <string>

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

/// Who is to blame that an attempt ends early.
enum class Blame {
  /// A task. After so many times the stage's jobs fail [spark.stage.maxConsecutiveAttempts].
  task,
  /// An executor that was lost. After many times the stage's jobs fail, too.
  executor,
  nobody,
};

/// How a task ended that did not do what it should.
struct BarrierFailure {
  TaskAttempt id;
  int exec_id = 0;
  std::string host;
  std::string why;
  std::string last_lines;
  std::optional<int> exit_status;
  Blame blame = Blame::task;

  /// Otherwise it is told to end as the others are.
  bool has_ended = true;
};

/// The attempt ends with one of its tasks: all others are told to end, and what was done
/// does not count. Jobs may end with it, and the stage.
/// @pre the task's attempt counts
void fail_barrier_attempt(JobStep& step, Stage& stage, const BarrierFailure& x);

/// A task did what it should; its output is known. What it wrote counts when all have.
/// @pre the TaskSet has it as done
void finish_barrier_task(JobStep& step, Stage& stage,
                         const JobExecutor& executor, const TaskStatus& x);

/// All results are there: they count.
void accept_barrier_results(JobStep& step, Stage& stage);

/// What was done is of no use any more: nothing of it runs, and all waits again.
void restart_barrier_stage(JobStep& step, Stage& stage, const std::string& why);

/// An attempt at a task is known to have ended, or to be lost with its executor.
void note_ended(JobsState& state, const TaskAttempt& id);

} // namespace stoker
