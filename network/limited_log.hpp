#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace stoker {

/// Warnings of one event that others can cause as often as they like: the log takes
/// some of them each second, and how many more there were. May be used by any thread.
class LimitedLog {
public:
  using Clock = std::chrono::steady_clock;

  /// `event` is the stable name in front of each line.
  explicit LimitedLog(const char* event) : event_(event) {
  }

  /// Writes a line, or counts it.
  void warn(const std::string& line, Clock::time_point now = Clock::now());

  /// Writes a line of the same event for who looks for everything; none is counted.
  void debug(const std::string& line) const;

private:
  static constexpr int lines_per_second = 10;

  const char* event_;
  std::mutex mutex_;
  Clock::time_point since_;
  int written_ = 0;
  long left_out_ = 0;
};

} // namespace stoker
