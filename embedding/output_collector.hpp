#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "scheduling/application/output_progress.hpp"
#include "scheduling/common/wake_up.hpp"

namespace stoker {

/// The application is known by this id.
struct CollectFor {
  AppId app_id;
};
struct CollectFrom {
  int exec_id = 0;
  WorkerId worker_id;
};
struct ExecutorHasEnded {
  int exec_id = 0;
  ExecutorState state = ExecutorState::EXITED;
};
/// It was lost, and then found again.
struct CollectAgainFrom {
  int exec_id = 0;
};
/// The executor's program runs.
struct ExecutorRuns {
  int exec_id = 0;
};
/// The master tells nothing more of executors.
struct ApplicationIsOver {};
/// What is not complete is lost.
struct GiveUpOutput {
  std::string why;
};
/// Whoever takes the output has done with so many bytes.
struct OutputConsumed {
  std::int64_t bytes = 0;
};
struct CollectorTick {};

/// The OUTPUT COLLECTOR brings what an application's executors write. It asks
/// for no more than whoever takes it keeps up with.
using OutputCollectorActor = caf::typed_actor<
    caf::reacts_to<CollectFor>, caf::reacts_to<CollectFrom>,
    caf::reacts_to<ExecutorHasEnded>, caf::reacts_to<CollectAgainFrom>,
    caf::reacts_to<ExecutorRuns>, caf::reacts_to<ApplicationIsOver>,
    caf::reacts_to<GiveUpOutput>, caf::reacts_to<OutputConsumed>,
    caf::reacts_to<CollectorTick>>;

/// The state of the OUTPUT COLLECTOR.
struct OutputCollectorState {
  std::optional<WallClock> clock;
  AppClientActor client;
  std::function<void(std::vector<OutputNews>)> sink;
  OutputProgress progress;

  /// Handed to the sink and not consumed.
  std::int64_t unconsumed = 0;

  WakeUp wake_up;

  /// Names the actor in logs.
  static constexpr const char* name = "output-collector";
};

/// @param client Passes requests on to the master.
/// @param sink Called on the actor's thread; must not block.
OutputCollectorActor::behavior_type
output_collector(OutputCollectorActor::stateful_pointer<OutputCollectorState>,
                 AppClientActor client,
                 std::function<void(std::vector<OutputNews>)> sink);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CollectFor)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CollectFrom)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ExecutorHasEnded)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CollectAgainFrom)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ExecutorRuns)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ApplicationIsOver)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::GiveUpOutput)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::OutputConsumed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CollectorTick)
