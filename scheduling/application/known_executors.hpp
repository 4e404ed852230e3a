#pragma once

#include <set>

#include "scheduling/application/application_events.hpp"

namespace stoker {

/// Which executors an application has and had, as it learns from its master.
class KnownExecutors {
public:
  /// Each returns whether it was news: a master repeats what may have been lost.
  bool added(const ExecutorAdded& x);

  /// One that was lost may run again, or may have ended since: its worker came back.
  bool updated(const ExecutorUpdated& x);

  /// How many have not ended, as far as is known.
  [[nodiscard]] int running() const noexcept {
    return static_cast<int>(running_.size());
  }
  [[nodiscard]] bool is_running(int exec_id) const {
    return running_.contains(exec_id);
  }

  /// Whether an executor was lost with its worker, for all that is known.
  [[nodiscard]] bool is_lost(int exec_id) const {
    return lost_.contains(exec_id);
  }

private:
  std::set<int> known_;
  std::set<int> running_;
  std::set<int> lost_;
};

} // namespace stoker
