#pragma once

#include <set>
#include <vector>

#include "process/control_protocol.hpp"

namespace stoker::process {

/// What may be left of a program whose supervisor and guard both died. Ends it
/// without harm to other processes, also other children of this one. A process
/// belongs to the program if one of these holds:
/// - it carries the launch's mark (launch_mark.hpp), or its environment the marker;
/// - it is in the launch's control group;
/// - it is the supervisor or the guard, which may be stopped;
/// - it came to this process from the session of the program, or of the guard;
/// - it descends from such a process.
/// Children that carry the mark of another launch, or a mark that no launch gives, are ended
/// as well: programs come to this process only when both their keepers died, and other
/// children of this process have its own limits.
class Leftovers {
public:
  /// @param state The last one known.
  /// @param was_watched Whether this process watched the program up to its end.
  /// Else its pid may name another session by now, so sessions say nothing.
  /// @param seen processes that are known to be of the program
  Leftovers(State state, bool was_watched, std::set<ProcessId> seen);

  /// Ends and reaps what it finds. Returns true once nothing is left; until
  /// then call it again after a short while.
  bool end_round();

private:
  /// Ends and reaps children that come one after the other faster than all processes can be
  /// listed. Returns true if there were any.
  bool end_children();
  [[nodiscard]] std::vector<ProcessEntry> find() const;
  [[nodiscard]] bool is_root(const ProcessEntry& entry) const;

  State state_;
  bool was_watched_;
  LaunchMark own_mark_;
  pid_t own_session_;
  /// All that were seen or ended so far. Dead ones lose their environment, so they
  /// could not be recognised when they are to be reaped.
  std::set<ProcessId> known_;
  int empty_rounds_ = 0;
};

} // namespace stoker::process
