#pragma once

// Writing message logs: every event of a master, with what followed from it.
// Reading them: storage/message_log_reader.hpp and storage/replay.hpp.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "storage/message_log_files.hpp"

namespace stoker {

/// Writes a log, for its owner alone and without the values of environment
/// variables, which may be secrets.
///
/// The files are written by a thread of its own, so that a master does not wait
/// for them. What was appended has reached the operating system some 5 ms
/// later: a master that is killed may lose that much of its log, and what it
/// did last with it. One that ends writes all of it.
///
///     append --> gathered --(5 ms, or 256 KB)--> FILE --(full)--> FILE.1 ...
class MessageLogWriter {
public:
  /// Begins a new log at `path`. One that is there already becomes FILE.1.
  /// @throws std::runtime_error with one line when it cannot be written.
  MessageLogWriter(const std::string& path, const ClusterConfig& config,
                   MessageLogLimits limits = {});
  ~MessageLogWriter();

  MessageLogWriter(const MessageLogWriter&) = delete;
  MessageLogWriter& operator=(const MessageLogWriter&) = delete;

  /// @param made_with For ElectedLeader: the configuration of the Cluster that
  /// was made for this leadership. Null: the one before goes on.
  ///
  /// Waits only when the disk is 64 MB behind. Returns false, once, when
  /// writing has failed (a full disk): the log ends there, and the master goes
  /// on.
  bool append(Instant at, const EndpointId& from, const Event& event,
              const StepResult& result,
              const ClusterConfig* made_with = nullptr);

  /// Returns when all that was appended has reached the operating system, or
  /// writing has failed.
  void flush();

private:
  void run();

  LogFiles files_;
  std::mutex mutex_;

  /// For the thread: there is something to write.
  std::condition_variable wanted_;

  /// For callers: something was written, or failed.
  std::condition_variable written_;

  std::string gathered_;
  bool writing_ = false;
  bool urgent_ = false;
  bool stopping_ = false;
  bool failed_ = false;
  bool told_ = false;

  /// Last, since it uses all of the above.
  std::thread thread_;
};

} // namespace stoker
