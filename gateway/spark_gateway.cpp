#include "gateway/spark_gateway.hpp"

#include <utility>

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "actors/connector.hpp"

namespace stoker {

SparkGateway::SparkGateway(caf::actor_system& system,
                           const SparkGatewayConfig& config,
                           std::shared_ptr<const SparkPeerServices> services)
    : system_(system), services_(std::move(services)),
      server_(config.limits, listener()) {
}

SparkGateway::~SparkGateway() {
  server_.stop();
  for (const auto& [connection, peer] : peers_)
    caf::anon_send_exit(peer, caf::exit_reason::user_shutdown);
}

Result<std::unique_ptr<SparkGateway>>
SparkGateway::start(caf::actor_system& system, const MasterActor& master,
                    const SparkGatewayConfig& config) {
  auto services = std::make_shared<SparkPeerServices>();
  services->master = master;
  services->connector = local_connector(system, master);
  services->users = config.users;
  std::unique_ptr<SparkGateway> result{
      new SparkGateway{system, config, std::move(services)}};
  auto bound = result->server_.listen(config.listen.host, config.listen.port);
  if (!bound)
    return std::move(bound).error();
  result->url_
      = "spark://" + to_string(SocketAddress{config.listen.host, *bound});
  spdlog::info("[spark-listening] Spark's programs find this master at {}",
               result->url_);
  return result;
}

FrameServer::Listener SparkGateway::listener() {
  return {
      [this](const FrameConnectionPtr& x) {
        peers_.emplace(x.get(), system_.spawn(spark_peer, x, services_));
      },
      [this](const FrameConnectionPtr& x, std::string frame) {
        if (auto peer = peers_.find(x.get()); peer != peers_.end())
          caf::anon_send(peer->second, SparkFrame{std::move(frame)});
      },
      [this](const FrameConnectionPtr& x, const std::string& why) {
        auto peer = peers_.extract(x.get());
        if (!peer.empty())
          caf::anon_send(peer.mapped(), SparkConnectionClosed{why});
      },
  };
}

} // namespace stoker
