#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "executor/barrier_socket.hpp"
#include "executor/stage_table.hpp"
#include "executor/task_end.hpp"
#include "executor/task_program.hpp"
#include "messages/task.hpp"

namespace stoker::executor {

/// Makes programs of tasks from what the driver says of stages, and statuses of their
/// ends. Functions may be called by any thread.
class StageTasks {
public:
  explicit StageTasks(std::shared_ptr<const StageTable> stages)
      : stages_(std::move(stages)) {
  }

  /// Its programs do not wait at barriers any more.
  void close_barriers();

  /// What a task runs, with its input and its output. Fails if it is not known where
  /// what it reads is. Needs this object until the task has ended.
  Result<TaskProgram> prepare(const std::shared_ptr<const DescribeStage>& stage,
                              const LaunchTask& task);

  /// What becomes of a task that was prepared; nothing of it is kept.
  TaskStatus status_of(const TaskAttempt& id, const TaskEnd& end);

  /// It will not run.
  void drop(const TaskAttempt& id);

  /// Of one that could not be prepared.
  static TaskStatus failed(const TaskAttempt& id, const Error& why);

private:
  /// Lets the program of a task of a barrier stage wait for the others.
  Status open_barrier(const TaskAttempt& id,
                      std::map<std::string, std::string>& environment);
  void close_barrier(const TaskAttempt& id);

  /// What a task's end is made of.
  struct Begun;

  using Inputs = std::vector<std::unique_ptr<InputSource>>;

  Result<Inputs> inputs_of(const DescribeStage& stage, const LaunchTask& task,
                           const std::shared_ptr<Begun>& begun) const;
  Result<std::shared_ptr<OutputSink>> output_of(const DescribeStage& stage,
                                                const TaskAttempt& id,
                                                Begun& begun) const;

  const std::shared_ptr<const StageTable> stages_;
  mutable std::mutex mutex_;
  std::map<TaskAttempt, std::shared_ptr<Begun>> begun_;

  /// Null: no program has needed it yet.
  std::unique_ptr<BarrierSocket> barrier_;
};

} // namespace stoker::executor
