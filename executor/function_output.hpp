#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "executor/stage_table.hpp"
#include "messages/result.hpp"
#include "messages/task.hpp"

namespace stoker::executor {

class PartFile;
class PartitionOutput;
class ResultOutput;

/// Where goes what a function writes. Files are opened with the first bytes that need
/// one: most results are small, and stay in memory. What is not finished is removed with
/// this object.
class FunctionOutput {
public:
  /// The arguments stay while this object is used.
  FunctionOutput(const ExecutorIdentity& executor, const DescribeStage& stage,
                 const TaskAttempt& id);
  ~FunctionOutput();

  FunctionOutput(const FunctionOutput&) = delete;
  FunctionOutput& operator=(const FunctionOutput&) = delete;

  /// Adds bytes to a partition. After an error it returns the same again.
  Status write(int partition, std::string_view bytes);

  /// Commits all of it, and says in `status` what the driver gets. Fails as `write`.
  Status finish(TaskStatus& status);

  /// The error of those, if there was one.
  [[nodiscard]] const Status& state() const noexcept {
    return state_;
  }

  [[nodiscard]] std::int64_t bytes() const noexcept {
    return bytes_;
  }

private:
  Status try_write(int partition, std::string_view bytes);
  Status try_finish(TaskStatus& status);

  Status add_to_result(std::string_view bytes);
  Status add_to_file(std::string_view bytes);
  Status open_file();
  Status open_partitions();

  const ExecutorIdentity& executor_;
  const DescribeStage& stage_;
  const TaskAttempt& id_;

  Status state_;
  std::int64_t bytes_ = 0;

  /// A result as long as it is small.
  std::string small_;
  std::unique_ptr<ResultOutput> large_;
  std::shared_ptr<PartFile> file_;
  std::shared_ptr<PartitionOutput> partitions_;
};

} // namespace stoker::executor
