#include "scheduling/application/known_executors.hpp"

namespace stoker {

bool KnownExecutors::added(const ExecutorAdded& x) {
  // Known already: it may have ended, and does not begin again.
  if (!known_.insert(x.id).second)
    return false;
  running_.insert(x.id);
  return true;
}

bool KnownExecutors::updated(const ExecutorUpdated& x) {
  auto was_lost = x.state != ExecutorState::LOST && lost_.erase(x.id) > 0;
  if (!is_finished(x.state)) {
    if (was_lost)
      running_.insert(x.id);
    return running_.contains(x.id);
  }
  if (running_.erase(x.id) == 0 && !was_lost)
    return false;
  if (x.state == ExecutorState::LOST)
    lost_.insert(x.id);
  return true;
}

} // namespace stoker
