#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/following.hpp"
#include "messages/history.hpp"

namespace stoker {

/// What a command ends with that has waited for programs.
struct WaitOutcome {
  int exit_status = 0;

  /// For people; empty: the end of each says all.
  std::string error;
};

/// How something has ended that a master has forgotten: of an application without its exit
/// status, of a driver that was relaunched with the next one that was started in its place.
ProgramEnd end_in_history(const HistoryEntry& x);

/// The exit status of an application that failed: that of the instance that failed first for
/// good. Unset: no command is to blame, or its executors are not in the history any more.
/// @param executors Those of the application, in any order
std::optional<int> first_failure(const std::vector<HistoryEntry>& executors);

/// 1 if one is not known; 124 if one has not ended; else the exit status of the first that
/// did not succeed, or 1 if it has none; else 0.
WaitOutcome outcome_of(const std::vector<ProgramEnd>& ends);

/// "driver-1 FAILED, exit code 3: why". @pre its state is known
std::string line_of(const ProgramEnd& x);

/// With that of a driver that succeeded, which is 0.
ProgramEnd with_exit_status(ProgramEnd x);

} // namespace stoker
