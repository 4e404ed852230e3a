#pragma once

#include <chrono>
#include <optional>

namespace stoker {

/// Ctrl-C and SIGTERM as something to wait for. Create it before any thread, so
/// that all threads leave the signals to it.
class StopSignal {
public:
  StopSignal();

  /// Waits for a signal and returns its number.
  int wait();

  /// The signal that arrived since the last call, if one did, waiting at most
  /// so long for it.
  std::optional<int> wait_for(std::chrono::milliseconds patience);

  /// In a child process before exec: lets signals act as usual again.
  static void restore();
};

} // namespace stoker
