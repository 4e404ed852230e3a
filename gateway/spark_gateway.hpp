#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <caf/actor_system.hpp>

#include "gateway/frame_server.hpp"
#include "gateway/heartbeat_batches.hpp"
#include "gateway/pages_url.hpp"
#include "gateway/spark_caller.hpp"
#include "gateway/spark_peer.hpp"
#include "gateway/version_pages.hpp"
#include "gateway/version_rules.hpp"
#include "messages/result.hpp"

namespace stoker {

struct SparkGatewayConfig {
  /// Where Spark's programs connect to, as spark://127.0.0.1:7077. Port 0 chooses one.
  SocketAddress listen{"127.0.0.1", 7077};
  SparkUsers users = SparkUsers::own;

  /// The host in the address that others are told; empty: the host of `listen`.
  std::string public_host = {};

  /// Looks into the Spark of who submits a driver. Unset: nobody does.
  VersionOfHome version_of_home;
  std::vector<VersionRule> version_rules;
  FrameServerLimits limits;
};

/// Lets programs of Apache Spark's, which speak its own protocol, use the master of this
/// process. Each connection has a SPARK PEER.
class SparkGateway {
public:
  /// @param feed Tells what the master commits, so that drivers of the last leader can be
  /// called. Null: they are not.
  /// Fails with `Errc::in_use` where another process listens, and with `Errc::failed`
  /// where it cannot listen for another reason.
  static Result<std::unique_ptr<SparkGateway>>
  start(caf::actor_system& system, const MasterActor& master,
        const FeedActor& feed, const SparkGatewayConfig& config);

  /// Closes all connections. Applications go on for as long as the master waits for their
  /// drivers.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~SparkGateway();

  SparkGateway(const SparkGateway&) = delete;
  SparkGateway& operator=(const SparkGateway&) = delete;

  /// As "spark://127.0.0.1:7077".
  [[nodiscard]] const std::string& url() const noexcept {
    return url_;
  }

  /// Tells where this master takes submissions over HTTP from now on, such as
  /// "http://127.0.0.1:6066".
  void set_submissions_url(const std::string& url) {
    submissions_url_.set(url);
  }

  /// Tells where the pages of this master are from now on, as "http://127.0.0.1:8080".
  void set_pages_url(const std::string& url) {
    services_->pages_url->set(url);
  }

private:
  SparkGateway(caf::actor_system& system, const SparkGatewayConfig& config,
               std::shared_ptr<const SparkPeerServices> services,
               std::unique_ptr<VersionPages> pages);

  /// The actor behind a connection.
  struct Peer {
    SparkPeerActor actor;
    std::shared_ptr<KnownHeartbeat> heartbeat;
  };

  FrameServer::Listener listener();

  /// Whether the user of a connection that comes may use the master.
  [[nodiscard]] Result<PeerTrust> admit(const FrameConnection& x) const;

  /// Returns the answer to an HTTP client at this port.
  [[nodiscard]] std::string answer_http(const FrameConnection& x,
                                        std::string_view request) const;
  void add_peer(const FrameConnectionPtr& connection,
                const std::optional<SparkRecall>& recall);
  void receive(FrameConnection& connection, std::string_view frame);
  void call(const SparkRecall& whom, SparkCallFailed failed);

  caf::actor_system& system_;
  std::shared_ptr<const SparkPeerServices> services_;

  /// By connection. For the server's thread alone, while there is one.
  std::unordered_map<FrameConnection*, Peer> peers_;
  std::optional<HeartbeatBatches> heartbeats_;
  std::string url_;
  PagesUrl submissions_url_;
  SparkCallerActor caller_;
  std::unique_ptr<VersionPages> pages_;
  FrameServer server_;
};

} // namespace stoker
