#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "executor/task_function.hpp"
#include "jobs/stage_program.hpp"
#include "jobs/task_memory.hpp"

namespace stoker::jobs {

/// A task of a dataset, for the operators that run in it.
class TaskRun {
public:
  /// @param task,inputs Outlive this.
  /// @param memory_bytes What tables of keys may take.
  TaskRun(executor::FunctionTask& task, const TaskInputs& inputs,
          std::uint64_t memory_bytes)
      : task_(task), inputs_(inputs), stop_(task.stop_token()),
        memory_(memory_bytes) {
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

  /// Whether the task is to end: asked for each element by whatever makes elements.
  [[nodiscard]] bool ending() const noexcept {
    return stop_.stop_requested();
  }

  /// An error once the task is to end.
  Status go_on() const;

  [[nodiscard]] TaskMemory& memory() noexcept {
    return memory_;
  }

  /// For files without names.
  [[nodiscard]] const std::string& scratch_directory() const {
    return task_.scratch_directory();
  }

private:
  executor::FunctionTask& task_;
  const TaskInputs& inputs_;
  const std::stop_token stop_;
  TaskMemory memory_;
};

} // namespace stoker::jobs
