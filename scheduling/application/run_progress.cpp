#include "scheduling/application/run_progress.hpp"

namespace stoker {

bool RunProgress::added(const ExecutorAdded& x) {
  // Known already: it may have ended, and does not begin again.
  if (!indices_.emplace(x.id, x.index.value_or(x.id)).second)
    return false;
  running_.insert(x.id);
  return true;
}

bool RunProgress::updated(const ExecutorUpdated& x) {
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
  if (x.state == ExecutorState::EXITED && x.exit_status == 0)
    ++done_;
  else if (x.exit_status && x.state != ExecutorState::KILLED)
    failure_ = x.exit_status;
  return true;
}

void RunProgress::dead(const ApplicationDead& x) {
  end_ = x;
}

int RunProgress::exit_status() const noexcept {
  if (done_ == count_)
    return 0;
  return failure_.value_or(1);
}

int RunProgress::index_of(int exec_id) const {
  auto i = indices_.find(exec_id);
  return i == indices_.end() ? exec_id : i->second;
}

} // namespace stoker
