#pragma once

#include <optional>

#include "messages/descriptions.hpp"
#include "messages/states.hpp"
#include "scheduling/common/exit_status.hpp"

namespace stoker {

/// What the end of an executor means to the instance that it ran.
enum class InstanceEnd {
  /// The command exited with 0.
  done,
  /// It ran to an end that it chose, and not a good one.
  failed,
  /// The worker could not find the command, or not execute it. Another worker would not
  /// either.
  cannot_start,
  /// It was lost or killed: not its fault.
  from_outside,
};

/// @pre is_finished(state)
inline InstanceEnd instance_end(ExecutorState state,
                                std::optional<int> exit_status) {
  if (state == ExecutorState::FAILED && exit_status)
    return InstanceEnd::cannot_start;
  if (state != ExecutorState::EXITED || killed_from_outside(exit_status))
    return InstanceEnd::from_outside;
  return exit_status == 0 ? InstanceEnd::done : InstanceEnd::failed;
}

/// Whether an instance that has failed so often, now by this end, is not started again.
inline bool has_failed_for_good(const Instances& instances, InstanceEnd end,
                                int failures) {
  return end == InstanceEnd::cannot_start
         || (end == InstanceEnd::failed && failures > instances.max_failures);
}

} // namespace stoker
