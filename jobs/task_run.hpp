#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "executor/task_function.hpp"
#include "jobs/stage_program.hpp"

namespace stoker::jobs {

/// A task of a dataset, for the operators that run in it.
class TaskRun {
public:
  /// @param task,inputs Outlive this.
  TaskRun(executor::FunctionTask& task, const TaskInputs& inputs)
      : task_(task), inputs_(inputs) {
  }

  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  /// What a source reads for a partition. Fails if the task was not told.
  Result<const SourceInput*> source(std::uint32_t node, int partition) const;

  /// The file split of it. Fails if there is none.
  Result<const InputSplit*> split(const SourceInput& x) const;

  /// Reads a partition of all outputs of one of the stage's dependencies.
  Status read(int dependency, int partition,
              const std::function<Status(std::string_view)>& take);

  Status write(int partition, std::string_view bytes) {
    return task_.write(partition, bytes);
  }

  /// An error once the task is to end. To be asked now and then.
  Status go_on() const;

private:
  executor::FunctionTask& task_;
  const TaskInputs& inputs_;
};

} // namespace stoker::jobs
