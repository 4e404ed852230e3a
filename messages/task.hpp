#pragma once

// The life of an application's tasks. A driver's task scheduler hands them to the
// application's executors.
//
//   task scheduler                          executor
//        |<-- RegisterExecutor ----------------|   once it is connected
//        |--- RegisteredExecutor ------------->|
//        |<-- ExecutorHeartbeat ---------------|   every so often
//        |--- DescribeStage ------------------>|   before the stage's first task
//        |--- StageOutputs ------------------->|   where to read what it reads
//        |--- LaunchTasks -------------------->|
//        |--- KillTask ----------------------->|
//        |--- ReturnTasks -------------------->|   what it has not begun
//        |<-- StatusUpdates -------------------|   what ended, and what it returns
//        |--- ForgetStages ------------------->|
//        |--- StopExecutor ------------------->|
//
// An executor serves one driver over one connection. With that connection it ends,
// and all of its tasks. One that has said nothing for long stands still: it is lost, too.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/descriptions.hpp"
#include "messages/job_ids.hpp"
#include "messages/output_location.hpp"
#include "messages/states.hpp"

namespace stoker {

// -- executor to task scheduler -----------------------------------------------

/// The first that an executor says. Saying it again changes nothing.
struct RegisterExecutor {
  int exec_id = 0;

  /// Of its worker.
  WorkerId worker_id;
  std::string host;
  int cores = 0;

  /// Who serves what its tasks write.
  OutputServer outputs;
};
BOOST_DESCRIBE_STRUCT(RegisterExecutor, (),
                      (exec_id, worker_id, host, cores, outputs))

/// Said every RegisteredExecutor::heartbeat_ms.
struct ExecutorHeartbeat {
  int exec_id = 0;
};
BOOST_DESCRIBE_STRUCT(ExecutorHeartbeat, (), (exec_id))

/// How an attempt ended. Spark's names.
enum class TaskState { FINISHED, FAILED, KILLED };
BOOST_DESCRIBE_ENUM(TaskState, FINISHED, FAILED, KILLED)

/// An output could not be read.
struct FetchFailed {
  /// Whose output. Its server is known by the place that the reader was told of.
  TaskAttempt output;

  /// Nobody answered there: all else that is there may be lost, too.
  bool unreachable = false;
};
BOOST_DESCRIBE_STRUCT(FetchFailed, (), (output, unreachable))

struct TaskStatus {
  TaskAttempt id;
  TaskState state = TaskState::FINISHED;

  /// From its start until nothing of it was left.
  std::int64_t run_ms = 0;

  /// Of FAILED: one line. "exited with 1", "cannot start 'sort': ..."
  std::string error;

  /// Of FAILED, as a shell reports it; unset: the program is not to blame.
  std::optional<int> exit_status;

  /// Of FAILED: the last of what it wrote to standard error.
  std::string last_lines;
  std::optional<FetchFailed> fetch_failed;

  /// Of FAILED: the disk had no room for what it wrote, or the application's quota there
  /// was used up.
  bool disk_full = false;

  /// What it wrote, if that is a small result.
  std::optional<std::string> result;

  /// The result is a large one: an output that is to be fetched.
  bool result_is_stored = false;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;

  /// Of its program and the processes for which that waited, or of the thread of a
  /// function.
  std::int64_t cpu_ms = 0;

  /// Of the largest process of a program, which is as large as its executor before it
  /// begins; 0: nobody counted.
  std::int64_t peak_memory_mb = 0;
};
BOOST_DESCRIBE_STRUCT(TaskStatus, (),
                      (id, state, run_ms, error, exit_status, last_lines,
                       fetch_failed, disk_full, result, result_is_stored,
                       bytes_read, bytes_written, cpu_ms, peak_memory_mb))

/// What happened since the last one, in order. Attempts that the task scheduler does
/// not know to be there are passed over.
struct StatusUpdates {
  int exec_id = 0;
  std::vector<TaskStatus> ended;

  /// Of the answer to ReturnTasks: were not begun, and will not be.
  std::optional<std::vector<TaskAttempt>> returned;
};
BOOST_DESCRIBE_STRUCT(StatusUpdates, (), (exec_id, ended, returned))

// -- task scheduler to executor -----------------------------------------------

/// The answer to RegisterExecutor.
struct RegisteredExecutor {
  /// 0: it says nothing.
  std::int64_t heartbeat_ms = 0;
};
BOOST_DESCRIBE_STRUCT(RegisteredExecutor, (), (heartbeat_ms))

/// narrow: a task reads what the task of its own number wrote. shuffle: a task reads
/// from all tasks the partition of its own number.
enum class DependencyKind { narrow, shuffle };
BOOST_DESCRIBE_ENUM(DependencyKind, narrow, shuffle)

struct StageDependency {
  StageId stage;
  DependencyKind kind = DependencyKind::narrow;
};
BOOST_DESCRIBE_STRUCT(StageDependency, (), (stage, kind))

/// What becomes of what a task writes. result: goes to the driver. file: a part of a
/// directory. output: is kept for tasks of other stages. executor: a program writes, to
/// standard error as well, what its executor writes.
enum class TaskOutputKind { result, file, output, executor };
BOOST_DESCRIBE_ENUM(TaskOutputKind, result, file, output, executor)

/// How lines find their partition. key: by the text up to the first tab.
enum class PartitionBy { key, round_robin };
BOOST_DESCRIBE_ENUM(PartitionBy, key, round_robin)

/// A function of the application's own program. It runs in the executor's process.
struct FunctionCall {
  std::string name;

  /// Bytes that only the function understands: the same for all tasks of a stage.
  std::string argument;
};
BOOST_DESCRIBE_STRUCT(FunctionCall, (), (name, argument))

/// What all tasks of a stage have in common.
struct DescribeStage {
  StageId stage;
  std::string name;

  /// Of each task. `Command::environment` is added to the executor's.
  Command command;

  /// What each task runs instead of `command`.
  std::optional<FunctionCall> function;
  int cores = 1;
  std::vector<StageDependency> reads;
  TaskOutputKind output = TaskOutputKind::result;

  /// Of `output`.
  int partitions = 1;
  PartitionBy partition_by = PartitionBy::key;

  /// Of `file`: the directory in which parts are written under other names.
  std::string directory;

  /// How many tasks it has, and whether these begin together and can wait for each other
  /// (messages/barrier.hpp).
  int tasks = 1;
  bool is_barrier = false;
};
BOOST_DESCRIBE_STRUCT(DescribeStage, (),
                      (stage, name, command, function, cores, reads, output,
                       partitions, partition_by, directory, tasks, is_barrier))

/// Where one task's output is: a server's place in the list, and which attempt
/// wrote it.
struct OutputPlace {
  std::int32_t server = -1;
  std::int32_t attempt = -1;
};
BOOST_DESCRIBE_STRUCT(OutputPlace, (), (server, attempt))

/// Where all outputs of a stage are. A later one replaces an earlier one.
struct StageOutputs {
  StageId stage;
  std::vector<OutputServer> servers;

  /// By the task's number.
  std::vector<OutputPlace> places;
};
BOOST_DESCRIBE_STRUCT(StageOutputs, (), (stage, servers, places))

/// The lines of a file that begin in [begin, end), in bytes.
struct InputSplit {
  std::string path;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
BOOST_DESCRIBE_STRUCT(InputSplit, (), (path, begin, end))

struct LaunchTask {
  TaskAttempt id;

  /// What it reads besides other stages' outputs.
  std::vector<InputSplit> splits;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(LaunchTask, (), (id, splits, text))

/// They start in this order, as soon as there are cores for them.
struct LaunchTasks {
  std::vector<LaunchTask> tasks;
};
BOOST_DESCRIBE_STRUCT(LaunchTasks, (), (tasks))

/// Ends the task with all that it has started. It is answered by a status, unless
/// the task has ended before.
struct KillTask {
  TaskAttempt id;
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(KillTask, (), (id, reason))

/// Gives back at most so many tasks that were not begun, the last ones first. It is
/// answered by StatusUpdates, also if there are none.
struct ReturnTasks {
  int count = 0;
};
BOOST_DESCRIBE_STRUCT(ReturnTasks, (), (count))

/// Nothing of these stages will be asked for any more.
struct ForgetStages {
  std::vector<StageId> stages;
};
BOOST_DESCRIBE_STRUCT(ForgetStages, (), (stages))

/// The application ends, or does not need this executor any more.
struct StopExecutor {
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(StopExecutor, (), (reason))

} // namespace stoker
