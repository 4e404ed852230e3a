#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "gateway/frame_server.hpp"
#include "gateway/heartbeat_batches.hpp"
#include "gateway/home_reader.hpp"
#include "gateway/pages_url.hpp"
#include "gateway/present_peers.hpp"
#include "gateway/spark_reader.hpp"
#include "gateway/spark_users.hpp"
#include "gateway/version_pages.hpp"
#include "gateway/version_rules.hpp"
#include "messages/ids.hpp"
#include "messages/result.hpp"
#include "network/limited_log.hpp"
#include "scheduling/application/application_events.hpp"
#include "scheduling/master/stored.hpp"
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

/// Of which version the page of a driver or a worker says that it is, or why it does not.
struct SparkVersionSaid {
  Result<std::string> version;
};

/// The SPARK PEER stands for the process of Spark's at the other end of a connection. To the
/// master it is what that process is: a worker, an application's driver, or somebody who
/// submits one.
using SparkPeerActor = WorkerOrders::extend<
    // -- INTERNAL: the connection, an application's news, a page's answer.
    caf::reacts_to<SparkFrame>, caf::reacts_to<SparkConnectionClosed>,
    caf::reacts_to<SparkNews>, caf::reacts_to<SparkVersionSaid>>;

/// A driver that is to be told that this master leads now.
struct SparkDriverRecall {
  AppId app_id;

  /// As the application is stored.
  EndpointId endpoint;
  ApplicationDescription description;

  /// That of this leadership.
  LeaderEpoch epoch;
};

/// A worker that is.
struct SparkWorkerRecall {
  /// As it is stored.
  StoredWorker worker;
};

/// Who is to be told, over a connection that was opened from here.
using SparkRecall = std::variant<SparkDriverRecall, SparkWorkerRecall>;

/// What all peers use.
struct SparkPeerServices {
  /// That of this process, and what leads to it.
  MasterActor master;
  ConnectorActor connector;

  /// Where Spark's programs find this master.
  SocketAddress address;
  SparkUsers users = SparkUsers::own;
  std::shared_ptr<PresentPeers> present_peers
      = std::make_shared<PresentPeers>();

  /// Null: peers read large messages themselves.
  SparkReaderActor reader;

  AskVersion ask_version;
  AskVersion ask_version_of_worker;
  VersionOfHome version_of_home;

  /// How often workers have registered.
  std::shared_ptr<std::atomic<std::uint64_t>> worker_registrations
      = std::make_shared<std::atomic<std::uint64_t>>(0);

  /// For workers of Spark's, whose pages lead to the master's.
  std::shared_ptr<PagesUrl> pages_url = std::make_shared<PagesUrl>();

  /// Of drivers that do not say their version; the first that is about one counts.
  std::vector<VersionRule> version_rules;

  /// Of those who send what they should not.
  std::shared_ptr<LimitedLog> refusals
      = std::make_shared<LimitedLog>("spark-refused");
};

/// A version of Spark that the master does not know yet.
struct OpenVersion {
  /// The driver's page, if it has one.
  std::optional<VersionPage> page;
  bool is_asked = false;

  /// What rules know of the driver, and the versions that its messages agree with, the newest
  /// first: for when the page does not say it.
  DriverNames names;
  std::vector<std::string> versions;

  /// Once it is found, until the master knows it.
  std::optional<std::string> found;

  /// Neither the driver nor a rule tells what was found.
  bool is_guess = false;
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

/// The worker that a peer is.
struct SparkWorkerProxy {
  /// As it has registered, or is stored.
  RegisterWorker registration;

  /// The worker's endpoint, as "Worker", and where it listens.
  std::string endpoint;
  spark::RpcAddress address;

  /// Whose form of messages it understands; until its version is known, the newest of those
  /// that look the same in what it has said.
  const spark::VersionTable* table = nullptr;

  /// Nobody knows whether its form of a resource profile is that of the table: it is sent
  /// none then, since it would drop the whole order.
  bool is_profile_unknown = false;

  /// What it believes to be the master's address: it takes orders from nobody else. And
  /// how it calls the master.
  spark::RpcAddress master;
  spark::RpcAddress master_called;

  /// Its page.
  std::string page_url;

  /// The page has not answered yet.
  bool is_version_open = false;

  /// The master has taken it.
  bool is_admitted = false;

  /// What the master has asked last.
  std::optional<StateQuestion> question;

  /// What the worker runs, until the master asks.
  std::optional<WorkerLatestState> report;
};

/// The state of the SPARK PEER.
struct SparkPeerState {
  FrameConnectionPtr connection;

  /// A heartbeat that is known needs this actor no more.
  std::shared_ptr<KnownHeartbeat> heartbeat;
  std::shared_ptr<const SparkPeerServices> services;

  /// What it is, if that is known. There may be very many peers, which are one of these each.
  std::unique_ptr<SparkDriverProxy> driver;
  std::unique_ptr<SparkWorkerProxy> worker;

  /// Until it was acknowledged.
  std::unique_ptr<SparkRecall> recall;

  /// Names the actor in logs.
  static constexpr const char* name = "spark-peer";
};

SparkPeerActor::behavior_type
spark_peer(SparkPeerActor::stateful_pointer<SparkPeerState> self,
           FrameConnectionPtr connection,
           std::shared_ptr<KnownHeartbeat> heartbeat,
           std::shared_ptr<const SparkPeerServices> services,
           std::optional<SparkRecall> recall);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkFrame)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkConnectionClosed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkNews)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkVersionSaid)
