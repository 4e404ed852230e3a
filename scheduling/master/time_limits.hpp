#pragma once

#include <set>
#include <unordered_map>
#include <utility>

#include "messages/instant.hpp"
#include "scheduling/common/keys.hpp"

namespace stoker {

/// What time limits tell: when applications that have begun end at the latest, and
/// which of those that wait for executors have one.
class TimeLimits {
public:
  /// An application that has begun ends by then.
  void set_end(AppKey app, Instant end) {
    forget(app);
    ends_.emplace(end, app);
    end_of_.emplace(app, end);
  }

  /// Whether an admitted application that has a time limit waits for executors.
  void set_waiting(QueuePosition app, bool waits) {
    if (waits)
      waiting_.insert(app);
    else
      waiting_.erase(app);
  }

  /// The application has ended; an unknown one is harmless.
  void forget(AppKey app) {
    auto node = end_of_.extract(app);
    if (!node.empty())
      ends_.erase({node.mapped(), app});
  }

  /// Soonest first.
  [[nodiscard]] const std::set<std::pair<Instant, AppKey>>&
  ends() const noexcept {
    return ends_;
  }

  /// In the order in which they are served.
  [[nodiscard]] const std::set<QueuePosition>& waiting() const noexcept {
    return waiting_;
  }

private:
  std::set<std::pair<Instant, AppKey>> ends_;
  std::unordered_map<AppKey, Instant> end_of_;
  std::set<QueuePosition> waiting_;
};

} // namespace stoker
