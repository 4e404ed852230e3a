#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "executor/collected_output.hpp"
#include "messages/job_ids.hpp"

namespace stoker::executor {

/// A task's result on its way to the driver: a small one goes with the task's status,
/// a large one becomes an output with one partition, which the driver fetches.
class ResultOutput : public OutputSink {
public:
  /// With the status, at most.
  static constexpr std::size_t small_bytes_max = std::size_t{64} * 1024;

  /// @param directory The application's, which its worker serves.
  /// @param scratch For what is collected.
  ResultOutput(std::filesystem::path directory, const TaskAttempt& attempt,
               int exec_id, std::string scratch);

  Status append(std::string_view bytes) override;
  Status finish() override;

  /// Once it is finished; nothing: it is an output.
  [[nodiscard]] const std::optional<std::string>& small() const noexcept {
    return small_;
  }

private:
  Status write_output();

  std::filesystem::path directory_;
  TaskAttempt attempt_;
  int exec_id_;
  CollectedOutput collected_;
  std::optional<std::string> small_;
};

} // namespace stoker::executor
