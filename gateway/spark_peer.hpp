#pragma once

#include <memory>
#include <optional>
#include <string>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "gateway/frame_server.hpp"
#include "gateway/spark_users.hpp"
#include "messages/ids.hpp"
#include "network/limited_log.hpp"
#include "scheduling/application/application_events.hpp"
#include "spark/rpc_message.hpp"
#include "spark/version_tables.hpp"

namespace stoker {

// -- what a SPARK PEER hears --------------------------------------------------

/// A whole frame.
struct SparkFrame {
  std::string bytes;
};

/// The connection has been closed, by whomever.
struct SparkConnectionClosed {
  std::string why;
};

/// What its application learns.
struct SparkNews {
  ApplicationNews news;
};

/// The SPARK PEER stands for the process of Spark's at the other end of a connection. To the
/// master it is what that process is: an application's driver.
using SparkPeerActor = caf::typed_actor<caf::reacts_to<SparkFrame>,
                                        caf::reacts_to<SparkConnectionClosed>,
                                        caf::reacts_to<SparkNews>>;

/// What all peers use.
struct SparkPeerServices {
  /// Leads to the master of this process.
  ConnectorActor connector;
  SparkUsers users = SparkUsers::own;

  /// Of those who send what they should not.
  std::shared_ptr<LimitedLog> refusals
      = std::make_shared<LimitedLog>("spark-refused");
};

/// The driver that a peer is.
struct SparkDriverProxy {
  AppClientActor client;

  /// The driver's endpoint, as "AppClient", and where it listens.
  std::string endpoint;
  spark::RpcAddress address;

  /// Whose form of messages it understands.
  const spark::VersionTable* table = nullptr;

  /// Once it is registered.
  std::optional<AppId> id;
};

/// The state of the SPARK PEER.
struct SparkPeerState {
  FrameConnectionPtr connection;
  std::shared_ptr<const SparkPeerServices> services;
  std::optional<SparkDriverProxy> driver;

  /// Names the actor in logs.
  static constexpr const char* name = "spark-peer";
};

SparkPeerActor::behavior_type
spark_peer(SparkPeerActor::stateful_pointer<SparkPeerState> self,
           FrameConnectionPtr connection,
           std::shared_ptr<const SparkPeerServices> services);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkFrame)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkConnectionClosed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkNews)
