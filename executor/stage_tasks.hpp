#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "executor/task_end.hpp"
#include "executor/task_program.hpp"
#include "messages/task.hpp"
#include "outputs/output_client.hpp"

namespace stoker::executor {

/// Who an executor is, and where it writes.
struct ExecutorIdentity {
  AppId app_id;
  int exec_id = 0;
  WorkerId worker_id;
  std::string host;
  int cores = 1;

  /// Of its worker.
  OutputServer outputs;

  /// Of its own: for what does not stay.
  std::string work_directory;

  /// What programs of tasks find, before what their stage adds.
  std::map<std::string, std::string> environment;
};

/// Makes programs of tasks from what the driver says of stages, and statuses of their
/// ends. Functions may be called by any thread.
class StageTasks {
public:
  StageTasks(ExecutorIdentity identity, const ApplicationSecret& secret);

  void know(const DescribeStage& x);
  void know(const StageOutputs& x);
  void forget(StageId stage);

  /// Cores of a task; 1 if the stage is not known.
  [[nodiscard]] int cores_of(StageId stage) const;

  /// What a task runs, with its input and its output. Fails if its stage is not known, or
  /// where what it reads is. Needs this object until the task has ended.
  Result<TaskProgram> prepare(const LaunchTask& task);

  /// What becomes of a task that was prepared; nothing of it is kept.
  TaskStatus status_of(const TaskAttempt& id, const TaskEnd& end);

  /// It will not run.
  void drop(const TaskAttempt& id);

  /// Of one that could not be prepared.
  static TaskStatus failed(const TaskAttempt& id, const Error& why);

private:
  /// What a task's end is made of.
  struct Begun;

  using Inputs = std::vector<std::unique_ptr<InputSource>>;

  Result<Inputs> inputs_of(const DescribeStage& stage, const LaunchTask& task,
                           const std::shared_ptr<Begun>& begun) const;
  Result<std::vector<LocatedOutput>> sources_of(const StageDependency& read,
                                                int task) const;
  Result<std::shared_ptr<OutputSink>> output_of(const DescribeStage& stage,
                                                const TaskAttempt& id,
                                                Begun& begun) const;

  const ExecutorIdentity identity_;
  const OutputClient client_;
  mutable std::mutex mutex_;
  std::map<StageId, std::shared_ptr<const DescribeStage>> stages_;
  std::map<StageId, std::shared_ptr<const StageOutputs>> outputs_;
  std::map<TaskAttempt, std::shared_ptr<Begun>> begun_;
};

} // namespace stoker::executor
