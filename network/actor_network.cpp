#include "network/actor_network.hpp"

#include <csignal>

#include <caf/actor_cast.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>
#include <caf/openssl/publish.hpp>
#include <caf/openssl/remote_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "messages/caf_error.hpp"
#include "messages/registry.hpp"
#include "network/openssl_shim.hpp"
#include "network/reachable.hpp"

namespace stoker {

namespace {

constexpr auto probe_timeout = std::chrono::seconds{5};

using Blocking = std::function<caf::expected<MasterActor>(std::size_t)>;

/// Lives for one request, on a thread of its own: connecting blocks.
ConnectorActor::behavior_type connect_once(ConnectorActor::pointer self,
                                           Blocking connect) {
  return {
      [self, connect = std::move(connect)](
          const ConnectToMaster& x) -> caf::result<caf::strong_actor_ptr> {
        self->quit();
        auto master = connect(x.master);
        if (!master)
          return std::move(master.error());
        return caf::actor_cast<caf::strong_actor_ptr>(std::move(*master));
      },
  };
}

ConnectorActor::behavior_type connector_of(ConnectorActor::pointer self,
                                           Blocking connect) {
  return {
      [self, connect = std::move(connect)](const ConnectToMaster& x) {
        auto once = self->spawn<caf::detached>(connect_once, connect);
        return self->delegate(once, x);
      },
  };
}

} // namespace

class ActorNetwork::Config : public caf::actor_system_config {
public:
  explicit Config(const TlsConfig& tls) {
    register_messages(*this);
    load<caf::io::middleman>();
    // Workers and commands talk to their master only.
    set("middleman.enable-automatic-connections", false);
    set("logger.verbosity", caf::atom("quiet"));
    // CAF's default scheduler polls for work: a master that is told one
    // heartbeat every 15 ms would keep a third of a core busy.
    set("scheduler.policy", caf::atom("sharing"));
    // With CAF's own threads for reading messages, one of some hundred
    // connections stays silent for ever when machines are busy: what comes in
    // is kept back. Without them, messages are read where they arrive.
    set("middleman.workers", std::size_t{0});
    if (!tls.enabled())
      return;
    load<caf::openssl::manager>();
    openssl_certificate = tls.certificate;
    openssl_key = tls.key;
    openssl_cafile = tls.authority;
  }
};

ActorNetwork::ActorNetwork(const TlsConfig& tls)
    : config_(std::make_unique<Config>(tls)), tls_(tls.enabled()) {
  if (tls_) {
    report_tls_refusals();
    // OpenSSL writes to broken connections as to any file.
    std::signal(SIGPIPE, SIG_IGN);
  }
  system_ = std::make_unique<caf::actor_system>(*config_);
}

ActorNetwork::~ActorNetwork() = default;

caf::actor_system& ActorNetwork::system() const {
  return *system_;
}

std::variant<std::uint16_t, std::string>
ActorNetwork::publish(const MasterActor& master, const std::string& host,
                      std::uint16_t port) {
  if (!tls_ && !is_loopback(host))
    return "will not listen on " + host
           + " without TLS: anybody could run programs here. Make certificates "
             "with 'stoker certs' and pass --tls-cert, --tls-key and --tls-ca, "
             "or listen on 127.0.0.1";
  const auto* address = host == "localhost" ? "127.0.0.1" : host.c_str();
  auto bound = tls_ ? caf::openssl::publish(master, port, address, true)
                    : system_->middleman().publish(master, port, address, true);
  if (!bound)
    return "cannot listen on " + host + " port " + std::to_string(port)
           + ": it is taken, or not an address of this machine; choose another "
             "with --host and --port";
  return *bound;
}

caf::expected<MasterActor> ActorNetwork::connect(const MasterAddress& address) {
  // CAF gives no reason and waits for as long as the kernel does.
  if (auto problem = why_unreachable(address.host, address.port, probe_timeout))
    return caf::make_error(Errc::not_alive,
                           to_string(address) + ": " + *problem);
  auto master = tls_ ? caf::openssl::remote_actor<MasterActor>(
                    *system_, address.host, address.port)
                     : system_->middleman().remote_actor<MasterActor>(
                         address.host, address.port);
  if (!master)
    return caf::make_error(
        Errc::not_alive, to_string(address) + ": "
                             + (tls_ ? "the TLS handshake failed, or it is not "
                                       "a Stoker master of "
                                       "this version"
                                     : "not a Stoker master of this version, "
                                       "or it wants TLS (pass "
                                       "--tls-cert, --tls-key and --tls-ca)"));
  return master;
}

ConnectorActor ActorNetwork::connector(std::vector<MasterAddress> masters) {
  return system_->spawn(connector_of,
                        [this, masters = std::move(masters)](std::size_t i) {
                          return connect(masters.at(i));
                        });
}

ConnectorActor local_connector(caf::actor_system& system, MasterActor master) {
  return system.spawn(
      [](ConnectorActor::pointer,
         MasterActor found) -> ConnectorActor::behavior_type {
        return {
            [found = std::move(found)](const ConnectToMaster&) {
              return caf::actor_cast<caf::strong_actor_ptr>(found);
            },
        };
      },
      std::move(master));
}

} // namespace stoker
