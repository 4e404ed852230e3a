#include "scheduling/master/recovery.hpp"

#include <cassert>

namespace stoker {

void Recovery::begin(LeaderEpoch epoch) {
  assert(status_ == RecoveryState::STANDBY);
  epoch_ = epoch;
  status_ = RecoveryState::RECOVERING;
}

void Recovery::await(WorkerKey worker) {
  assert(status_ == RecoveryState::RECOVERING);
  workers_.insert(worker);
}

void Recovery::await(AppKey app) {
  assert(status_ == RecoveryState::RECOVERING);
  apps_.insert(app);
}

void Recovery::answered(WorkerKey worker) {
  workers_.erase(worker);
}

void Recovery::answered(AppKey app) {
  apps_.erase(app);
}

void Recovery::wait_until(Instant due) {
  due_ = due;
}

void Recovery::wait_for_silence(Instant due) {
  silent_ = due;
}

void Recovery::postpone(Duration by) {
  due_ += by;
  if (silent_)
    *silent_ += by;
}

bool Recovery::finish(Instant now) {
  if (status_ != RecoveryState::RECOVERING || (awaits_anyone() && now < due()))
    return false;
  // Those who are late have as long as after any broken connection.
  workers_.clear();
  apps_.clear();
  status_ = RecoveryState::ALIVE;
  return true;
}

} // namespace stoker
