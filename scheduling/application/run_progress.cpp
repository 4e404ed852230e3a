#include "scheduling/application/run_progress.hpp"

namespace stoker {

bool RunProgress::added(const ExecutorAdded& x) {
  indices_.emplace(x.id, x.index.value_or(x.id));
  return executors_.added(x);
}

bool RunProgress::updated(const ExecutorUpdated& x) {
  if (!executors_.updated(x))
    return false;
  if (!is_finished(x.state))
    return true;
  auto end = instance_end(x.state, x.exit_status);
  if (end == InstanceEnd::done) {
    done_.insert(index_of(x.id));
    return true;
  }
  if (end != InstanceEnd::from_outside)
    note_failure(index_of(x.id), end, x.exit_status.value_or(1));
  return true;
}

void RunProgress::note_failure(int index, InstanceEnd end, int exit_status) {
  if (!has_failed_for_good(instances_, end, ++failures_[index]))
    return;
  if (instances_.keep_going)
    failed_.insert(index);
  if (!failure_ || !instances_.keep_going)
    failure_ = exit_status;
}

void RunProgress::dead(const ApplicationDead& x) {
  end_ = x;
}

int RunProgress::exit_status() const noexcept {
  if (done() == count())
    return 0;
  return failure_.value_or(1);
}

int RunProgress::index_of(int exec_id) const {
  auto i = indices_.find(exec_id);
  return i == indices_.end() ? exec_id : i->second;
}

} // namespace stoker
