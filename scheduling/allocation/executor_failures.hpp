#pragma once

#include <deque>
#include <optional>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// Failures of an application's executors, of which each counts for a while
/// [spark.executor.failuresValidityInterval].
class ExecutorFailures {
public:
  /// @param validity For how long a failure counts. Unset: for good.
  explicit ExecutorFailures(std::optional<Duration> validity)
      : validity_(validity) {
  }

  /// @pre `now` does not go back.
  void add(Instant now) {
    forget_before(now);
    times_.push_back(now);
  }

  /// How many count.
  [[nodiscard]] int count(Instant now) const {
    auto result = 0;
    for (auto time : times_)
      result += counts(time, now) ? 1 : 0;
    return result;
  }

private:
  [[nodiscard]] bool counts(Instant time, Instant now) const {
    return !validity_ || now - time <= *validity_;
  }

  void forget_before(Instant now) {
    while (!times_.empty() && !counts(times_.front(), now))
      times_.pop_front();
  }

  std::optional<Duration> validity_;
  std::deque<Instant> times_;
};

} // namespace stoker
