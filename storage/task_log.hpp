#pragma once

// Writing message logs: every event of a task scheduler, with what followed from it.
// Reading them: storage/message_log_reader.hpp and storage/task_replay.hpp.

#include <string>

#include "storage/log_writer.hpp"
#include "storage/task_log_format.hpp"

namespace stoker {

/// Writes a task scheduler's log as LogWriter does, without results of tasks and what
/// is secret: no event has commands of tasks or their environment.
class TaskLogWriter {
public:
  /// @throws std::runtime_error as LogWriter does.
  TaskLogWriter(const std::string& path, const JobsConfig& config,
                MessageLogLimits limits = {});

  /// Returns false, once, when writing has failed.
  bool append(Instant at, const JobsEvent& event, const JobsEffects& effects);

  /// Returns when all that was appended has reached the operating system, or
  /// writing has failed.
  void flush();

  /// As LogWriter.
  [[nodiscard]] std::string problem() const;

private:
  LogWriter writer_;
  JobsEffectLines lines_;
};

} // namespace stoker
