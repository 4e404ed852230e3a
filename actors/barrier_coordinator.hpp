#pragma once

#include <map>
#include <optional>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "scheduling/barrier/barrier_attempt.hpp"
#include "scheduling/common/wake_up.hpp"

namespace stoker {

/// The state of a BARRIER COORDINATOR.
struct BarrierCoordinatorState {
  /// Makes all decisions.
  std::optional<BarrierAttempt> attempt;

  std::optional<WallClock> clock;
  std::map<int, ExecutorActor> executors;
  WakeUp wake_up;

  /// Names the actor in logs.
  static constexpr const char* name = "barrier-coordinator";
};

/// Wires a BarrierAttempt to the executors that run it, and to the clock.
BarrierCoordinatorActor::behavior_type barrier_coordinator(
    BarrierCoordinatorActor::stateful_pointer<BarrierCoordinatorState> self,
    BarrierAttemptConfig config, std::map<int, ExecutorActor> executors);

} // namespace stoker
