#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/feed.hpp"
#include "gateway/frame_server.hpp"
#include "gateway/present_drivers.hpp"
#include "gateway/spark_peer.hpp"

namespace stoker {

/// A driver that is to be called; again, if that fails, until `give_up_at`.
struct CallDriver {
  SparkRecall driver;
  std::chrono::milliseconds pause{};
  std::chrono::steady_clock::time_point give_up_at;
};

/// The SPARK CALLER tells the drivers of a leader's applications that it leads now: they do
/// not look for another master by themselves (Spark's MasterChanged).
using SparkCallerActor
    = caf::typed_actor<caf::reacts_to<FeedUpdate>, caf::reacts_to<CallDriver>>;

/// Opens a connection to where a driver listens. `failed` is called, from any thread, if
/// there is none.
using CallSparkDriver = std::function<void(const SparkRecall& driver,
                                           std::function<void()> failed)>;

struct SparkCallerState {
  FeedPosition position;
  FeedActor feed;
  CallSparkDriver call;
  std::shared_ptr<const PresentDrivers> present;

  /// Names the actor in logs.
  static constexpr const char* name = "spark-caller";
};

/// @param present Who need not be called.
SparkCallerActor::behavior_type
spark_caller(SparkCallerActor::stateful_pointer<SparkCallerState> self,
             FeedActor feed, CallSparkDriver call,
             std::shared_ptr<const PresentDrivers> present);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CallDriver)
