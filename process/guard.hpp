#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "process/control_protocol.hpp"
#include "process/directory.hpp"

namespace stoker::process {

/// The guard process, parent of a supervisor: if that dies with descendants of
/// the program alive, they come to the guard, which ends them. A supervisor that stays
/// stopped is killed. The guard keeps nothing in memory but what it needs for that, and
/// looks different from a supervisor in `ps`, so that a careless pkill(1) does not hit both.
class Guard {
public:
  /// @param stop_grace How long the supervisor may be stopped.
  Guard(const Directory& directory, std::string cgroup, pid_t supervisor,
        std::chrono::milliseconds stop_grace);

  /// Returns once the supervisor and all descendants are gone.
  void run();

private:
  using Clock = std::chrono::steady_clock;

  /// Waits for the end of the supervisor. Meanwhile hands on signals, and kills it if it
  /// stays stopped.
  /// Returns its status as waitpid(2) gives it.
  int wait_for_supervisor();

  /// Waits for a signal, or until a supervisor that is stopped is to be killed. Returns
  /// the signal, or -1.
  int wait_for_signal();
  void look_after_stopped();

  void end_descendants();

  /// Writes down that the supervisor was lost, unless it came to its end.
  void record_loss(int status);

  const Directory& directory_;
  std::string cgroup_;
  pid_t supervisor_;
  std::chrono::milliseconds stop_grace_;

  /// When it is killed if it is still stopped; unset while it is not.
  std::optional<Clock::time_point> kill_at_;
};

} // namespace stoker::process
