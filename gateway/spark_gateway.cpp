#include "gateway/spark_gateway.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "actors/connector.hpp"
#include "gateway/http_hint.hpp"
#include "gateway/recall_rules.hpp"
#include "network/address.hpp"
#include "spark/version_tables.hpp"

namespace stoker {

namespace {

/// The more of them go together, the less each costs. A worker is lost after a minute.
constexpr std::chrono::milliseconds batch_heartbeats_for{1};

/// A driver that is there answers much faster.
constexpr std::chrono::milliseconds connect_timeout{5'000};

/// Its page has answers when it has started, which takes a second where nobody else wants
/// the processors.
constexpr std::chrono::milliseconds page_timeout{30'000};

SocketAddress address_of(const SparkDriverRecall& x) {
  const auto& driver = *x.description.spark_driver;
  return {driver.host, static_cast<std::uint16_t>(driver.port)};
}

SocketAddress address_of(const SparkWorkerRecall& x) {
  return {x.worker.host, static_cast<std::uint16_t>(x.worker.port)};
}

} // namespace

SparkGateway::SparkGateway(caf::actor_system& system,
                           const SparkGatewayConfig& config,
                           std::shared_ptr<const SparkPeerServices> services,
                           std::unique_ptr<VersionPages> pages)
    : system_(system), services_(std::move(services)), pages_(std::move(pages)),
      server_(config.limits, listener()) {
  // Nobody connects before it listens.
  heartbeats_.emplace(services_->master, server_.later(batch_heartbeats_for));
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
SparkGateway::~SparkGateway() {
  if (caller_) {
    // It calls back into this object.
    caf::anon_send_exit(caller_, caf::exit_reason::user_shutdown);
    caf::scoped_actor {
      system_
      } -> wait_for(caller_);
  }
  server_.stop();
  caf::anon_send_exit(services_->reader, caf::exit_reason::user_shutdown);
  for (const auto& [connection, peer] : peers_)
    caf::anon_send_exit(peer.actor, caf::exit_reason::user_shutdown);
}

Result<std::unique_ptr<SparkGateway>>
SparkGateway::start(caf::actor_system& system, const MasterActor& master,
                    const FeedActor& feed, const SparkGatewayConfig& config) {
  auto pages = std::make_unique<VersionPages>(page_timeout);
  auto services = std::make_shared<SparkPeerServices>();
  services->ask_version = pages->ask_version();
  services->ask_version_of_worker = pages->ask_version_of_worker();
  services->reader = system.spawn<caf::detached>(spark_reader);
  services->master = master;
  services->connector = local_connector(system, master);
  services->users = config.users;
  services->version_of_home = config.version_of_home;
  services->version_rules = config.version_rules;
  std::unique_ptr<SparkGateway> result{
      new SparkGateway{system, config, services, std::move(pages)}};
  auto bound = result->server_.listen(config.listen.host, config.listen.port);
  if (!bound)
    return std::move(bound).error();
  // Nobody reads it before the caller calls.
  services->address = {config.listen.host, *bound};
  result->url_ = "spark://"
                 + to_string(SocketAddress{config.public_host.empty()
                                               ? config.listen.host
                                               : config.public_host,
                                           *bound});
  if (feed)
    result->caller_ = system.spawn(
        spark_caller, feed,
        [gateway = result.get()](const SparkRecall& x, auto failed) {
          gateway->call(x, std::move(failed));
        },
        result->services_->present_peers);
  spdlog::info("[spark-listening] Spark's programs find this master at {}",
               result->url_);
  return result;
}

FrameServer::Listener SparkGateway::listener() {
  return {
      [this](const FrameConnectionPtr& x) { add_peer(x, std::nullopt); },
      [this](const FrameConnectionPtr& x, std::string_view frame) {
        receive(*x, frame);
      },
      [this](const FrameConnectionPtr& x, const std::string& why) {
        auto peer = peers_.extract(x.get());
        if (!peer.empty())
          caf::anon_send(peer.mapped().actor, SparkConnectionClosed{why});
      },
      [this](const FrameConnection& x) { return admit(x); },
      [this](const FrameConnection& x, std::string_view request) {
        return answer_http(x, request);
      },
  };
}

Result<PeerTrust> SparkGateway::admit(const FrameConnection& x) const {
  auto user = user_of_peer(services_->users, x.owner(), x.peer(), "connects");
  if (!user)
    return std::move(user).error();
  return trust_in(x.owner());
}

std::string SparkGateway::answer_http(const FrameConnection& x,
                                      std::string_view request) const {
  const auto& versions = spark::version_tables();
  return http_hint(request, submissions_url_.get(), services_->pages_url->get(),
                   versions.empty() ? "" : versions.back().version(),
                   is_loopback(x.here().host));
}

void SparkGateway::add_peer(const FrameConnectionPtr& connection,
                            const std::optional<SparkRecall>& recall) {
  auto heartbeat = std::make_shared<KnownHeartbeat>();
  auto actor
      = system_.spawn(spark_peer, connection, heartbeat, services_, recall);
  peers_.emplace(connection.get(),
                 Peer{std::move(actor), std::move(heartbeat)});
}

void SparkGateway::receive(FrameConnection& connection,
                           std::string_view frame) {
  auto i = peers_.find(&connection);
  if (i == peers_.end())
    return;
  auto& [actor, heartbeat] = i->second;
  if (heartbeats_->take(*heartbeat, frame))
    return connection.processed();
  caf::anon_send(actor, SparkFrame{std::string{frame}});
}

void SparkGateway::call(const SparkRecall& whom, SparkCallFailed failed) {
  auto address = std::visit([](const auto& x) { return address_of(x); }, whom);
  server_.connect(
      address, connect_timeout,
      [whom, users = services_->users](std::optional<uid_t> owner) {
        return check_owner(whom, users, owner);
      },
      [this, whom, failed = std::move(failed)](
          const Result<FrameConnectionPtr>& connected) {
        if (!connected)
          return failed(connected.error().message);
        add_peer(*connected, whom);
      });
}

} // namespace stoker
