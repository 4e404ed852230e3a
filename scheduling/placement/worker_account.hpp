#pragma once

#include "messages/ids.hpp"
#include "messages/resources.hpp"
#include "messages/states.hpp"
#include "scheduling/common/executor_size.hpp"
#include "scheduling/placement/named_resources.hpp"
#include "scheduling/placement/requirements.hpp"

namespace stoker {

/// What one worker has, and what of it is given away.
struct WorkerAccount {
  WorkerId id;
  ExecutorSize total;
  ExecutorSize used{0, 0};
  NamedResources named;
  ProgramKinds kinds;

  /// Only an ALIVE worker that does not rest gives anything.
  WorkerState state = WorkerState::DEAD;
  bool rests = false;

  [[nodiscard]] ExecutorSize free() const noexcept {
    return {total.cores - used.cores, total.memory_mb - used.memory_mb};
  }

  [[nodiscard]] bool gives() const noexcept {
    return state == WorkerState::ALIVE && !rests && free().cores > 0;
  }

  [[nodiscard]] bool takes_part() const noexcept {
    return state == WorkerState::ALIVE || state == WorkerState::UNKNOWN;
  }

  [[nodiscard]] Resources in_all() const noexcept {
    return {total.cores, total.memory_mb};
  }
};

} // namespace stoker
