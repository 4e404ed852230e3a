#include "executor/task_control.hpp"

#include <sys/eventfd.h>

#include <utility>

namespace stoker::executor {

TaskControl::TaskControl() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
}

void TaskControl::kill(std::string reason) {
  std::lock_guard lock{mutex_};
  if (reason_)
    return;
  reason_ = std::move(reason);
  ::eventfd_write(wake_.get(), 1);
}

void TaskControl::reset() {
  std::lock_guard lock{mutex_};
  if (!reason_)
    return;
  reason_.reset();
  eventfd_t ignored = 0;
  ::eventfd_read(wake_.get(), &ignored);
}

std::optional<std::string> TaskControl::reason() const {
  std::lock_guard lock{mutex_};
  return reason_;
}

} // namespace stoker::executor
