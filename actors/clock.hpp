#pragma once

#include <chrono>

#include <caf/actor_clock.hpp>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// The time of day as an actor's clock lets it pass: read once at the start and
/// moved on by the steady clock, so that it never goes backwards and tests can
/// move it by hand.
class WallClock {
public:
  explicit WallClock(caf::actor_clock& clock,
                     Instant now = std::chrono::floor<Duration>(
                         std::chrono::system_clock::now()))
      : clock_(&clock), wall_start_(now), start_(clock.now()) {
  }

  [[nodiscard]] Instant now() const {
    return wall_start_ + std::chrono::floor<Duration>(clock_->now() - start_);
  }

  /// When the actor's clock will show `when`. Rounded up: an early wake-up
  /// would find nothing to do.
  [[nodiscard]] caf::actor_clock::time_point at(Instant when) const {
    return start_ + (when - wall_start_);
  }

private:
  caf::actor_clock* clock_;
  Instant wall_start_;
  caf::actor_clock::time_point start_;
};

} // namespace stoker
