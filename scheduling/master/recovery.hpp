#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

#include "messages/instant.hpp"
#include "messages/leader_epoch.hpp"
#include "messages/states.hpp"
#include "scheduling/common/keys.hpp"

namespace stoker {

/// How far a master is on its way to lead:
///
///              begin                 all have answered, or some have and the
///     STANDBY -------> RECOVERING -------------------------------------> ALIVE
///                                    others are silent, or time is up (finish)
///
/// Invariant: nobody is waited for but while it is RECOVERING.
class Recovery {
public:
  /// It leads, with this epoch.
  void begin(LeaderEpoch epoch);

  /// Waits for the answer of a worker or an application.
  void await(WorkerKey worker);
  void await(AppKey app);

  /// It has answered, or will not.
  void answered(WorkerKey worker);
  void answered(AppKey app);

  /// Nobody is waited for beyond this time.
  void wait_until(Instant due);

  /// There is somebody to work with: the others are waited for until this time
  /// only. Each answer moves it.
  void wait_for_silence(Instant due);

  /// All of that comes so much later.
  void postpone(Duration by);

  [[nodiscard]] Instant due() const noexcept {
    return silent_ ? std::min(*silent_, due_) : due_;
  }

  /// Ends the waiting, if all have answered or time is up. Returns whether it is
  /// ALIVE since this call.
  bool finish(Instant now);

  [[nodiscard]] RecoveryState status() const noexcept {
    return status_;
  }

  /// The leadership that it speaks for.
  [[nodiscard]] LeaderEpoch epoch() const noexcept {
    return epoch_;
  }

  [[nodiscard]] bool awaits(WorkerKey worker) const {
    return workers_.contains(worker);
  }
  [[nodiscard]] bool awaits(AppKey app) const {
    return apps_.contains(app);
  }
  [[nodiscard]] bool awaits_anyone() const {
    return !workers_.empty() || !apps_.empty();
  }

  // Those that are waited for.
  [[nodiscard]] const std::set<WorkerKey>& workers() const noexcept {
    return workers_;
  }
  [[nodiscard]] const std::set<AppKey>& apps() const noexcept {
    return apps_;
  }

private:
  RecoveryState status_ = RecoveryState::STANDBY;
  LeaderEpoch epoch_;
  std::set<WorkerKey> workers_;
  std::set<AppKey> apps_;
  Instant due_;
  std::optional<Instant> silent_;
};

} // namespace stoker
