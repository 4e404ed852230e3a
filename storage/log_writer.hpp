#pragma once

// What writes the lines of a message log, whosever steps they are.

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "storage/message_log_files.hpp"

namespace stoker {

/// Writes a log, for its owner alone.
///
/// The files are written by a thread of its own, so that nobody waits for them.
/// What was appended has reached the operating system some 5 ms later: a process
/// that is killed may lose that much of its log, and what it did last with it. One
/// that ends writes all of it.
///
///     append --> gathered --(5 ms, or 256 KB)--> FILE --(full)--> FILE.1 ...
class LogWriter {
public:
  /// Begins a new log at `path`. One that is there already becomes FILE.1.
  /// Where the machine stands in the way (a full disk, a file of another user),
  /// the log is one whose writing has failed: `problem` says why.
  /// @param config JSON
  /// @throws std::runtime_error with one line when the name is wrong, as LogFiles
  /// does.
  LogWriter(const std::string& path, LogKind kind, std::string config,
            MessageLogLimits limits);
  ~LogWriter();

  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// Adds what `render` appends to the string that it is given: whole lines. It is
  /// not called when nothing can be written any more.
  ///
  /// Waits only when the disk is 64 MB behind. Returns false, once, when
  /// writing has failed (a full disk): the log ends there, and its owner goes
  /// on.
  template <class Render>
  bool append(Render render) {
    std::unique_lock lock{mutex_};
    if (failed_)
      return std::exchange(told_, true);
    auto before = gathered_.size();
    render(gathered_);
    appended(lock, before);
    return true;
  }

  /// Returns when all that was appended has reached the operating system, or
  /// writing has failed.
  void flush();

  /// Why writing has failed, in one line that names the file; empty: it has not.
  [[nodiscard]] std::string problem() const;

private:
  void appended(std::unique_lock<std::mutex>& lock, std::size_t before);
  void run();

  LogFiles files_;
  mutable std::mutex mutex_;

  /// For the thread: there is something to write.
  std::condition_variable wanted_;

  /// For callers: something was written, or failed.
  std::condition_variable written_;

  std::string gathered_;
  bool writing_ = false;
  bool urgent_ = false;
  bool stopping_ = false;
  bool failed_;
  bool told_ = false;

  /// Last, since it uses all of the above.
  std::thread thread_;
};

} // namespace stoker
