#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "executor/function_output.hpp"
#include "executor/stage_table.hpp"
#include "executor/task_function.hpp"
#include "outputs/fetch.hpp"

namespace stoker::executor {

/// Runs one task that is a function, on the thread that calls `run`.
class RunningFunction : public FunctionTask {
public:
  /// The arguments stay while this object is used.
  /// @pre `stage.function`
  RunningFunction(const StageTable& stages, const DescribeStage& stage,
                  const LaunchTask& task, std::stop_token stop);

  /// Returns what became of the task. No exception of the function gets out.
  TaskStatus run(const TaskFunctions& functions);

  // -- for the function -------------------------------------------------------

  [[nodiscard]] const TaskAttempt& id() const override {
    return task_.id;
  }
  [[nodiscard]] const std::string& argument() const override {
    return stage_.function->argument;
  }
  [[nodiscard]] const std::string& text() const override {
    return task_.text;
  }
  [[nodiscard]] const std::vector<InputSplit>& splits() const override {
    return task_.splits;
  }
  Status read(std::size_t dependency,
              const std::function<Status(std::string_view)>& take) override;
  Status read(std::size_t dependency, int partition,
              const std::function<Status(std::string_view)>& take) override;
  Status write(int partition, std::string_view bytes) override {
    return output_.write(partition, bytes);
  }
  [[nodiscard]] std::uint64_t memory_bytes() const override;
  [[nodiscard]] const std::string& scratch_directory() const override {
    return stages_.executor().work_directory;
  }
  [[nodiscard]] BarrierPort* barrier() const override {
    return stage_.is_barrier ? stages_.barriers() : nullptr;
  }
  [[nodiscard]] std::stop_token stop_token() const override {
    return stop_;
  }

private:
  Status call(const TaskFunctions& functions);
  Result<StageDependency> dependency_at(std::size_t index) const;

  /// @param number Of the partition, or of the task that wrote (narrow).
  Status read(const StageDependency& from, int number,
              const std::function<Status(std::string_view)>& take);
  Status finish(TaskStatus& status);

  const StageTable& stages_;
  const DescribeStage& stage_;
  const LaunchTask& task_;
  const std::stop_token stop_;
  FunctionOutput output_;
  std::int64_t bytes_read_ = 0;

  /// Why an output could not be read.
  std::optional<FetchFailure> failure_;
};

} // namespace stoker::executor
