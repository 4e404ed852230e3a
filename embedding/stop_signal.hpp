#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace stoker {

/// Ctrl-C, SIGTERM and SIGHUP as something to wait for. Create it before any
/// thread, so that all threads leave the signals to it.
///
/// A process that was started by `nohup` outlives its terminal: SIGHUP does not
/// stop it.
class StopSignal {
public:
  enum class Hangup { stops, reloads };

  /// @param hangup What SIGHUP is for; `reloads`: it comes under `nohup`, too.
  explicit StopSignal(Hangup hangup = Hangup::stops);

  /// Waits for that signal, too. Before any thread, as well.
  void add(int signal);

  /// Waits for a signal and returns its number.
  [[nodiscard]] int wait() const;

  /// The signal that arrived since the last call, if one did, waiting at most
  /// so long for it.
  [[nodiscard]] std::optional<int>
  wait_for(std::chrono::milliseconds patience) const;

  /// Lets these signals act as usual again in this thread, and in those that it makes.
  static void release();

  /// In a child process before exec: a signal is ignored only if this process was
  /// started with it ignored, as under `nohup`, and is blocked likewise; what stops this
  /// process is never blocked.
  static void restore();

private:
  sigset_t signals_{};
};

} // namespace stoker
