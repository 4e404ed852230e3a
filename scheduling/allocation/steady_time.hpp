#pragma once

#include <algorithm>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// A time that never goes back, made of one that may: while that one goes back, this one
/// stands still, and then both go on. So no wait gets longer by more than the jump took.
class SteadyTime {
public:
  /// The time at `now`, not before what was returned last.
  Instant at(Instant now) {
    now = std::clamp(now, earliest, latest);
    if (!begun_)
      time_ = now;
    else if (now > last_)
      time_ = std::min(time_ + (now - last_), latest);
    begun_ = true;
    last_ = now;
    return time_;
  }

  /// When the time will be `x`, as the caller counts.
  [[nodiscard]] Instant as_given(Instant x) const {
    return last_ + (x - time_);
  }

private:
  // No sum or difference of them overflows.
  static constexpr Instant earliest{Duration{-(std::int64_t{1} << 60)}};
  static constexpr Instant latest{Duration{std::int64_t{1} << 60}};

  bool begun_ = false;
  Instant last_;
  Instant time_;
};

} // namespace stoker
