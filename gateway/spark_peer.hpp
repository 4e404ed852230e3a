#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "gateway/driver_pages.hpp"
#include "gateway/frame_server.hpp"
#include "gateway/present_drivers.hpp"
#include "gateway/spark_users.hpp"
#include "gateway/version_rules.hpp"
#include "messages/ids.hpp"
#include "messages/result.hpp"
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

/// Of which version the driver's page says that it is, or why it does not.
struct SparkVersionSaid {
  Result<std::string> version;
};

/// The SPARK PEER stands for the process of Spark's at the other end of a connection. To the
/// master it is what that process is: an application's driver, or somebody who submits
/// one.
using SparkPeerActor = caf::typed_actor<
    caf::reacts_to<SparkFrame>, caf::reacts_to<SparkConnectionClosed>,
    caf::reacts_to<SparkNews>, caf::reacts_to<SparkVersionSaid>>;

/// A driver that is to be told that this master leads now, over a connection that was opened
/// from here.
struct SparkRecall {
  AppId app_id;

  /// As the application is stored.
  EndpointId endpoint;
  ApplicationDescription description;

  /// That of this leadership.
  LeaderEpoch epoch;
};

/// What all peers use.
struct SparkPeerServices {
  /// That of this process, and what leads to it.
  MasterActor master;
  ConnectorActor connector;
  SparkUsers users = SparkUsers::own;
  std::shared_ptr<PresentDrivers> present_drivers
      = std::make_shared<PresentDrivers>();

  AskVersion ask_version;

  /// Of drivers that do not say their version; the first that is about one counts.
  std::vector<VersionRule> version_rules;

  /// Of those who send what they should not.
  std::shared_ptr<LimitedLog> refusals
      = std::make_shared<LimitedLog>("spark-refused");
};

/// A version of Spark that the master does not know yet.
struct OpenVersion {
  /// The driver's page, if it has one.
  std::optional<SocketAddress> page;
  bool is_asked = false;

  /// What rules know of the driver, and the versions that its messages agree with, the newest
  /// first: for when the page does not say it.
  DriverNames names;
  std::vector<std::string> versions;

  /// Once it is found, until the master knows it.
  std::optional<std::string> found;
};

/// The driver that a peer is.
struct SparkDriverProxy {
  AppClientActor client;

  /// The driver's endpoint, as "AppClient", and where it listens.
  std::string endpoint;
  spark::RpcAddress address;

  /// Whose form of messages it understands.
  const spark::VersionTable* table = nullptr;

  std::optional<OpenVersion> open_version;

  /// As logs have it: "word count of user ann at 127.0.0.1:40253".
  std::string shown;

  /// Once it is registered.
  std::optional<AppId> id;

  /// What the master calls it.
  EndpointId known_as;
};

/// The state of the SPARK PEER.
struct SparkPeerState {
  FrameConnectionPtr connection;
  std::shared_ptr<const SparkPeerServices> services;
  std::optional<SparkDriverProxy> driver;

  /// Until the driver has acknowledged it.
  std::optional<SparkRecall> recall;

  /// Names the actor in logs.
  static constexpr const char* name = "spark-peer";
};

SparkPeerActor::behavior_type
spark_peer(SparkPeerActor::stateful_pointer<SparkPeerState> self,
           FrameConnectionPtr connection,
           std::shared_ptr<const SparkPeerServices> services,
           std::optional<SparkRecall> recall);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkFrame)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkConnectionClosed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkNews)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkVersionSaid)
