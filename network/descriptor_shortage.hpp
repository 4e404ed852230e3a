#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace stoker {

/// Why no more files may be open, by the `errno` that said so, and what to do.
std::string shortage_reason(int system_error);

/// Tells in the log that connections cannot be taken since no more files may be open, and
/// what to do: once, and again after a minute in which that did not happen. May be used
/// by any thread.
class DescriptorShortage {
public:
  using Clock = std::chrono::steady_clock;

  /// @param whose Names the connections: "of workers and applications". Outlives this.
  explicit DescriptorShortage(const char* whose) : whose_(whose) {
  }

  /// A connection could not be taken, with this `errno`. Returns whether that is for
  /// want of descriptors; all else is not told here.
  bool note(int system_error, Clock::time_point now = Clock::now());

private:
  const char* whose_;
  std::mutex mutex_;
  std::optional<Clock::time_point> last_;
};

} // namespace stoker
