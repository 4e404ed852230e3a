#pragma once

#include <optional>
#include <vector>

#include "messages/states.hpp"

namespace stoker {

/// How one attempt at an instance ended.
struct EndedAttempt {
  int instance = 0;
  ExecutorState state = ExecutorState::EXITED;
  std::optional<int> exit_status;
};

/// The exit status of the instance that failed first for good: with it the application
/// failed, or the others went on. Unset: none did, or no command is to blame.
/// @param attempts All, in the order of their ends.
std::optional<int> first_failure(const std::vector<EndedAttempt>& attempts);

} // namespace stoker
