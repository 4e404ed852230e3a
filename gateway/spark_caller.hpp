#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/feed.hpp"
#include "gateway/frame_server.hpp"
#include "gateway/present_peers.hpp"
#include "gateway/spark_peer.hpp"

namespace stoker {

/// Who is to be called; again, if that fails, until `give_up_at`.
struct CallPeer {
  SparkRecall whom;
  std::chrono::milliseconds pause{};
  std::chrono::steady_clock::time_point give_up_at;
};

/// The SPARK CALLER tells the drivers of a leader's applications, and its workers, that it
/// leads now (Spark's MasterChanged): drivers do not look for another master by
/// themselves, and workers only from time to time.
using SparkCallerActor
    = caf::typed_actor<caf::reacts_to<FeedUpdate>, caf::reacts_to<CallPeer>>;

using SparkCallFailed = std::function<void(const std::string& why)>;

/// Opens a connection to where a driver or a worker listens. `failed` is called, from any
/// thread, if there is none.
using CallSparkPeer
    = std::function<void(const SparkRecall& whom, SparkCallFailed failed)>;

struct SparkCallerState {
  FeedPosition position;
  FeedActor feed;
  CallSparkPeer call;
  std::shared_ptr<const PresentPeers> present;

  /// Names the actor in logs.
  static constexpr const char* name = "spark-caller";
};

/// @param present Who need not be called.
SparkCallerActor::behavior_type
spark_caller(SparkCallerActor::stateful_pointer<SparkCallerState> self,
             FeedActor feed, CallSparkPeer call,
             std::shared_ptr<const PresentPeers> present);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CallPeer)
