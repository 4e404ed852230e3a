#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduling/jobs/job_scheduler.hpp"
#include "storage/task_log.hpp"

namespace stoker::test {

/// A JobScheduler whose steps go to a log, and executors that do what they are told.
class RecordedJobs {
public:
  explicit RecordedJobs(const std::string& path, MessageLogLimits limits = {},
                        const JobsConfig& config = {});

  JobsEffects step(const JobsEvent& event);

  /// An executor of two cores on a host of its own.
  void add_executor(int exec_id);

  /// Two stages: "map" of so many tasks, of which the first fails once, and
  /// "reduce", whose two results are as long as that. Runs them to their end.
  /// @param errors What the task that fails wrote to standard error.
  void run_job(int tasks, std::size_t result_bytes = 3,
               const std::string& errors = "no\n");

  [[nodiscard]] std::uint64_t steps() const noexcept {
    return steps_;
  }
  void flush() {
    writer_.flush();
  }

private:
  [[nodiscard]] TaskStatus status_of(const TaskAttempt& id) const;

  JobScheduler scheduler_;
  TaskLogWriter writer_;
  Instant now_{};
  std::uint64_t steps_ = 0;
  std::int32_t next_job_ = 0;
  std::string errors_;
  std::size_t result_bytes_ = 0;
};

} // namespace stoker::test
