#pragma once

// Writing message logs: every event of a master, with what followed from it.
// Reading them: storage/message_log_reader.hpp and storage/replay.hpp.

#include <string>

#include "scheduling/master/cluster.hpp"
#include "scheduling/master/events.hpp"
#include "scheduling/master/step_result.hpp"
#include "storage/log_writer.hpp"

namespace stoker {

/// Writes a master's log as LogWriter does, without the values of environment
/// variables, which may be secrets.
class MessageLogWriter {
public:
  /// @throws std::runtime_error as LogWriter does.
  MessageLogWriter(const std::string& path, const ClusterConfig& config,
                   MessageLogLimits limits = {});

  /// @param made_with For ElectedLeader: the configuration of the Cluster that
  /// was made for this leadership. Null: the one before goes on.
  ///
  /// Returns false, once, when writing has failed.
  bool append(Instant at, const EndpointId& from, const Event& event,
              const StepResult& result,
              const ClusterConfig* made_with = nullptr);

  /// A step as a StepObserver sees it, of a Cluster that is made anew for each
  /// leadership.
  bool append(const Cluster& after, const EndpointId& from, const Event& event,
              const StepResult& result);

  /// Returns when all that was appended has reached the operating system, or
  /// writing has failed.
  void flush();

  /// As LogWriter.
  [[nodiscard]] std::string problem() const;

private:
  LogWriter writer_;
};

} // namespace stoker
