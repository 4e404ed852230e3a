#pragma once

#include <string>
#include <vector>

#include "messages/following.hpp"

namespace stoker {

/// What a command ends with that has waited for programs.
struct WaitOutcome {
  int exit_status = 0;

  /// For people; empty: the end of each says all.
  std::string error;
};

/// 1 if one is not known; 124 if one has not ended; else the exit status of the first that
/// did not succeed, or 1 if it has none; else 0.
WaitOutcome outcome_of(const std::vector<ProgramEnd>& ends);

/// "driver-1 FAILED, exit code 3: why". @pre its state is known
std::string line_of(const ProgramEnd& x);

/// With that of a driver that succeeded, which is 0.
ProgramEnd with_exit_status(ProgramEnd x);

/// "driver-1 has ended as FAILED before it was given to a worker: why". @pre its state is
/// known
std::string never_started_text(const ProgramEnd& x);

} // namespace stoker
