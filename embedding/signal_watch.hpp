#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "embedding/stop_signal.hpp"

namespace stoker {

/// Calls a function for each signal that stops, on a thread of its own, as long as it
/// lives. Only one at a time waits for signals.
class SignalWatch {
public:
  /// @param heard Gets the signal's number.
  SignalWatch(const StopSignal& stop, std::function<void(int)> heard);

  /// Waits for a call that is under way, and for nothing else.
  ~SignalWatch();

  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

private:
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

} // namespace stoker
