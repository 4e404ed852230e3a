#pragma once

#include <sys/types.h>

#include <string>

#include "process/control_protocol.hpp"
#include "process/directory.hpp"

namespace stoker::process {

/// The guard process, parent of a supervisor: if that dies with descendants of
/// the program alive, they come to the guard, which ends them. It keeps nothing
/// in memory but what it needs for that, and looks different from a supervisor
/// in `ps`, so that a careless pkill(1) does not hit both.
class Guard {
public:
  Guard(const std::string& title, const Directory& directory,
        std::string cgroup, pid_t supervisor);

  /// Returns once the supervisor and all descendants are gone.
  void run();

private:
  /// Waits for the end of the supervisor, and hands on signals meanwhile.
  /// Returns its status as waitpid(2) gives it.
  int wait_for_supervisor();

  void end_descendants();

  /// Writes down that the supervisor was lost, unless it came to its end.
  void record_loss(int status);

  const Directory& directory_;
  std::string cgroup_;
  pid_t supervisor_;
};

} // namespace stoker::process
