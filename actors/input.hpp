#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "actors/clock.hpp"
#include "messages/input.hpp"
#include "messages/serialization.hpp"
#include "process/monitor.hpp"
#include "scheduling/common/wake_up.hpp"

namespace stoker {

/// What has become of a piece of input.
struct InputWritten {
  std::uint64_t question = 0;

  /// Nothing: its program does not run here.
  std::optional<process::InputTaken> taken;
};

struct InputTick {};

/// The INPUT of a worker waits for programs to take what is written to them, so that the
/// worker does not.
using InputActor = caf::typed_actor<
    // Fails with `Errc::not_running`.
    caf::replies_to<WriteInput>::with<InputResponse>,
    caf::reacts_to<InputWritten>, caf::reacts_to<InputTick>>;

/// Writes to a program, and says what becomes of it, on any thread.
using WriteToProgram = std::function<void(
    const WriteInput& x, process::Monitor::InputListener taken)>;

/// The state of the INPUT.
struct InputActorState {
  std::optional<WallClock> clock;
  WriteToProgram write;

  struct Waiting {
    std::int64_t offset = 0;
    Instant until;
    caf::typed_response_promise<InputResponse> answer;
  };

  /// Those that came first come first.
  std::map<std::uint64_t, Waiting> waiting;
  std::uint64_t last_question = 0;

  WakeUp wake_up;

  /// Names the actor in logs.
  static constexpr const char* name = "input";
};

InputActor::behavior_type
input(InputActor::stateful_pointer<InputActorState> self, WriteToProgram write);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::InputWritten)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::InputTick)
