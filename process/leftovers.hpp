#pragma once

#include <set>
#include <vector>

#include "process/control_protocol.hpp"

namespace stoker::process {

/// What may be left of a program whose supervisor and guard both died. Ends it
/// without harm to other processes, also other children of this one: a process
/// belongs to the program if its environment carries the launch's marker, if it
/// is in the launch's control group, if it descends from such a process, or if
/// it came to this process from the program's session.
class Leftovers {
public:
  /// @param state The last one known.
  /// @param was_watched Whether this process watched the program up to its end.
  /// Else its pid may name another session by now, so sessions say nothing.
  Leftovers(State state, bool was_watched);

  /// Ends and reaps what it finds. Returns true once nothing is left; until
  /// then call it again after a short while.
  bool end_round();

private:
  [[nodiscard]] std::vector<ProcessEntry> find() const;
  [[nodiscard]] bool is_root(const ProcessEntry& entry) const;

  State state_;
  bool was_watched_;
  /// All that were ended so far. Dead ones lose their environment, so they
  /// could not be recognised when they are to be reaped.
  std::set<ProcessId> known_;
  int empty_rounds_ = 0;
};

} // namespace stoker::process
