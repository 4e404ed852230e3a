#include "actors/barrier_coordinator.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include <caf/actor_cast.hpp>
#include <caf/make_message.hpp>

#include "actors/failure.hpp"

namespace stoker {

namespace {

using BarrierCoordinatorSelf
    = BarrierCoordinatorActor::stateful_pointer<BarrierCoordinatorState>;

void carry_out(BarrierCoordinatorSelf self, TellBarriers effects) {
  auto& state = self->state;
  for (auto& x : effects) {
    // One for all: it may be large. A typed send would copy it for each.
    auto message = std::visit(
        [](auto& what) { return caf::make_message(std::move(what)); },
        x.message);
    for (auto exec_id : x.exec_ids)
      if (auto found = state.executors.find(exec_id);
          found != state.executors.end())
        caf::actor_cast<caf::strong_actor_ptr>(found->second)
            ->enqueue(self->ctrl(), caf::make_message_id(), message,
                      self->context());
  }
}

/// A timer keeps this actor until it goes off, and most attempts are over before that: of
/// a thousand that begin in a second each would stay for as long.
constexpr Duration longest_sleep = std::chrono::seconds{10};

void sleep(BarrierCoordinatorSelf self) {
  auto& state = self->state;
  auto due = state.attempt->due();
  if (!due)
    return;
  auto next = std::min(*due, state.clock->now() + longest_sleep);
  if (auto when = state.wake_up.ask_for(next))
    self->scheduled_send(self, state.clock->at(*when), BarrierTick{});
}

void arrive(BarrierCoordinatorSelf self, BarrierArrived x) {
  auto& state = self->state;
  carry_out(self, state.attempt->arrive(state.clock->now(), std::move(x)));
  sleep(self);
}

void look(BarrierCoordinatorSelf self) {
  auto& state = self->state;
  auto now = state.clock->now();
  state.wake_up.came(now);
  carry_out(self, state.attempt->look(now));
  sleep(self);
}

} // namespace

BarrierCoordinatorActor::behavior_type
barrier_coordinator(BarrierCoordinatorSelf self, BarrierAttemptConfig config,
                    std::map<int, ExecutorActor> executors) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.attempt.emplace(std::move(config));
  state.executors = std::move(executors);
  return {
      [self](const BarrierTasksReady& x) {
        carry_out(self, self->state.attempt->ready(x));
      },
      [self](BarrierArrived& x) { arrive(self, std::move(x)); },
      [self](const BarrierFinished& x) {
        carry_out(self, self->state.attempt->task_finished(x.task));
      },
      [self](const BarrierTick&) { look(self); },
      [self](const BarrierOver&) { self->quit(); },
  };
}

} // namespace stoker
