#include "actors/input.hpp"

#include <string>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "actors/defaults.hpp"
#include "actors/failure.hpp"

namespace stoker {

namespace {

using InputSelf = InputActor::stateful_pointer<InputActorState>;

void ask_for_tick_of_input(InputSelf self) {
  auto& state = self->state;
  // All wait for the same time.
  if (state.waiting.empty())
    return;
  if (auto when = state.wake_up.ask_for(state.waiting.begin()->second.until))
    self->scheduled_send(self, state.clock->at(*when), InputTick{});
}

caf::result<InputResponse> write(InputSelf self, const WriteInput& x) {
  InputResponse refusal;
  if (x.offset < 0 || x.data.size() > process::input_bytes_max) {
    refusal.problem = "this is not a piece of input";
    return refusal;
  }
  auto& state = self->state;
  auto question = ++state.last_question;
  auto promise = self->make_response_promise<InputResponse>();
  state.waiting[question]
      = {x.offset, state.clock->now() + defaults::input_patience, promise};
  state.write(x, [handle = InputActor{self}.address(),
                  question](const std::optional<process::InputTaken>& taken) {
    if (auto target = caf::actor_cast<InputActor>(handle))
      caf::anon_send(target, InputWritten{question, taken});
  });
  ask_for_tick_of_input(self);
  return promise;
}

void tell(InputSelf self, const InputWritten& x) {
  auto waiting = self->state.waiting.extract(x.question);
  if (waiting.empty())
    return;
  auto& answer = waiting.mapped().answer;
  if (x.taken)
    answer.deliver(
        InputResponse{x.taken->taken, x.taken->closed, x.taken->problem});
  else
    answer.deliver(caf::make_error(
        Errc::not_running, std::string{"the program does not run here"}));
}

/// Nothing was taken in time: who asked may ask again.
void give_up_late(InputSelf self) {
  auto& state = self->state;
  auto now = state.clock->now();
  state.wake_up.came(now);
  while (!state.waiting.empty() && state.waiting.begin()->second.until <= now) {
    auto late = state.waiting.extract(state.waiting.begin());
    late.mapped().answer.deliver(
        InputResponse{late.mapped().offset, false, {}});
  }
  ask_for_tick_of_input(self);
}

} // namespace

InputActor::behavior_type input(InputSelf self, WriteToProgram write_to) {
  handle_the_unexpected(self);
  self->state.clock.emplace(self->clock());
  self->state.write = std::move(write_to);
  return {
      [self](const WriteInput& x) { return write(self, x); },
      [self](const InputWritten& x) { tell(self, x); },
      [self](const InputTick&) { give_up_late(self); },
  };
}

} // namespace stoker
