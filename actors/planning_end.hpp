#pragma once

#include <stop_token>

#include "actors/clock.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/planning/rehearsal.hpp"

namespace stoker {

/// Its end is that of all planning for its owner: a process that ends does not wait for a
/// plan that nobody is going to read.
class PlanningEnd {
public:
  PlanningEnd() = default;
  ~PlanningEnd() {
    source_.request_stop();
  }
  PlanningEnd(const PlanningEnd&) = delete;
  PlanningEnd& operator=(const PlanningEnd&) = delete;

  /// True from the moment `until`, and when the owner is gone. May be asked on any thread.
  [[nodiscard]] IsToStop or_at(const WallClock& clock, Instant until) const {
    return [clock, until, token = source_.get_token()] {
      return token.stop_requested() || clock.now() >= until;
    };
  }

private:
  std::stop_source source_;
};

} // namespace stoker
