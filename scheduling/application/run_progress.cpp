#include "scheduling/application/run_progress.hpp"

namespace stoker {

bool RunProgress::added(const ExecutorAdded& x) {
  indices_.emplace(x.id, x.index.value_or(x.id));
  return executors_.added(x);
}

bool RunProgress::updated(const ExecutorUpdated& x) {
  if (!executors_.updated(x))
    return false;
  if (x.state == ExecutorState::EXITED && x.exit_status == 0)
    ++done_;
  else if (is_finished(x.state) && x.exit_status
           && x.state != ExecutorState::KILLED)
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
