#pragma once

// Stepping a task scheduler's log again: whether this program decides as the one
// that wrote the log, and what its jobs looked like at any time.
// docs/develop/replay.md shows how to use it in tests.

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

#include "scheduling/jobs/job_scheduler.hpp"
#include "storage/message_log_reader.hpp"
#include "storage/replay_steps.hpp"

namespace stoker {

using TaskReplayOptions = ReplayOptionsOf<LoggedJobsStep>;

struct TaskReplay {
  /// How many steps were taken.
  std::uint64_t steps = 0;

  /// Nothing: all effects were the same. The replay ends at the first
  /// difference.
  std::optional<ReplayDifference> difference;

  /// After the last step that was taken.
  JobScheduler scheduler;

  /// The difference in one line; empty without one.
  [[nodiscard]] std::string problem() const {
    return difference ? to_string(*difference) : "";
  }
};

/// @throws std::runtime_error as TaskLogReader does, when the log's beginning is
/// gone, and when a job is submitted that cannot be.
TaskReplay replay(TaskLogReader& log, const TaskReplayOptions& options = {});

/// One file.
/// @throws std::runtime_error the same.
TaskReplay replay_task_log(std::istream& in,
                           const TaskReplayOptions& options = {});

/// All files of the log that `path` belongs to. Fails with `Errc::unreadable` and one line where
/// the others throw.
Result<TaskReplay> replay_task_log_file(const std::string& path,
                                        const TaskReplayOptions& options = {});

} // namespace stoker
