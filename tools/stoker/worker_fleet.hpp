#pragma once

#include <csignal>
#include <optional>

#include "embedding/stop_signal.hpp"

namespace stoker {

/// What came of a fleet: in one of its workers, or in the process that has
/// started them.
struct FleetPart {
  /// From 0 on; unset: this process has started all, and all have ended.
  std::optional<int> worker;

  /// In that case: what to end with.
  int exit_code = 0;
};

/// Ends a worker at once, and nothing that it runs: as SIGKILL, but what it ends with
/// is a success. A program that does not know it ends in the same way.
constexpr int leave_signal = SIGUSR1;

/// Forks `count` processes, each to be a worker, and stays behind: passes Ctrl-C,
/// SIGTERM, SIGHUP and `leave_signal` on, and starts a worker again that is killed or fails. One
/// that ends well, as after a decommission, or finds no master, is not started
/// again. When one cannot start at all, the others are ended.
///
/// @param hangup `reloads`: SIGHUP does not end the workers.
///
/// A worker is killed when this process is: whoever starts it again finds its
/// programs.
/// @pre This process has one thread.
FleetPart start_fleet(int count, StopSignal::Hangup hangup);

} // namespace stoker
