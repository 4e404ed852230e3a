#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "embedding/input_progress.hpp"
#include "embedding/seekable_input.hpp"
#include "scheduling/common/wake_up.hpp"

namespace stoker {

/// The application is known by this id.
struct FeedFor {
  AppId app_id;
};
struct FeedExecutor {
  int exec_id = 0;
  WorkerId worker_id;
};
/// It has ended; perhaps only for all that is known, if it was lost.
struct FeedNoMore {
  int exec_id = 0;
  bool lost = false;
};
/// It was lost, and then found again.
struct FeedAgain {
  int exec_id = 0;
};
struct InputArrived {};
struct FeederTick {};

/// The INPUT FEEDER writes an input to executors of an application, to each at its own
/// pace, and to one that is started again from the start.
using InputFeederActor
    = caf::typed_actor<caf::reacts_to<FeedFor>, caf::reacts_to<FeedExecutor>,
                       caf::reacts_to<FeedNoMore>, caf::reacts_to<FeedAgain>,
                       caf::reacts_to<InputArrived>,
                       caf::reacts_to<FeederTick>>;

/// The state of the INPUT FEEDER.
struct InputFeederState {
  std::optional<WallClock> clock;
  AppClientActor client;
  std::shared_ptr<SeekableInput> source;
  std::function<void(const std::string&)> failed;
  InputProgress progress;
  WakeUp wake_up;

  /// Names the actor in logs.
  static constexpr const char* name = "input-feeder";
};

/// @param client Passes requests on to the master.
/// @param failed Told, on the actor's thread, why the input cannot be read or written; must
/// not block.
InputFeederActor::behavior_type
input_feeder(InputFeederActor::stateful_pointer<InputFeederState> self,
             AppClientActor client, std::shared_ptr<SeekableInput> source,
             std::function<void(const std::string&)> failed);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FeedFor)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FeedExecutor)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FeedNoMore)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FeedAgain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::InputArrived)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FeederTick)
