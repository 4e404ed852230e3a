#include "network/actor_network.hpp"

#include <csignal>

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>
#include <caf/scoped_actor.hpp>

#include "messages/registry.hpp"
#include "network/openssl_shim.hpp"
#include "network/reachable.hpp"

namespace stoker {

namespace {

constexpr auto probe_timeout = std::chrono::seconds{5};

/// What the TLS handshake leaves open.
constexpr const char* no_master_by_tls
    = "the TLS handshake failed, or it is not a Stoker master of this version";
constexpr const char* no_master
    = "not a Stoker master of this version, or it wants TLS (pass --tls-cert, "
      "--tls-key and --tls-ca)";

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

caf::io::middleman_actor ActorNetwork::middleman() const {
  return tls_ ? system_->openssl_manager().actor_handle()
              : system_->middleman().actor_handle();
}

Result<std::uint16_t> ActorNetwork::publish(const caf::strong_actor_ptr& actor,
                                            const Interface& interface,
                                            const std::string& host,
                                            std::uint16_t port) {
  if (!tls_ && !is_loopback(host))
    return Error{
        Errc::invalid_request,
        "will not listen on " + host
            + " without TLS: anybody could run programs here. Make "
              "certificates with 'stoker certs' and pass --tls-cert, --tls-key "
              "and --tls-ca, or listen on 127.0.0.1"};
  std::string address = host == "localhost" ? "127.0.0.1" : host;
  Result<std::uint16_t> result = Error{
      Errc::in_use, "cannot listen on " + host + " port " + std::to_string(port)
                        + ": it is taken, or not an address of this machine; "
                          "choose another with --host and --port"};
  caf::scoped_actor self{*system_};
  self->request(middleman(), caf::infinite, caf::publish_atom::value, port,
                actor, interface, address, true)
      .receive([&](std::uint16_t bound) { result = bound; },
               [](const caf::error&) {});
  return result;
}

Result<caf::strong_actor_ptr>
ActorNetwork::connect(const MasterAddress& address, const Interface& wanted) {
  auto failed = [&](const std::string& why) {
    return Error{Errc::not_alive, to_string(address) + ": " + why};
  };
  // CAF gives no reason and waits for as long as the kernel does.
  if (auto found = reach(address.host, address.port, probe_timeout); !found)
    return failed(found.error().message);
  Result<caf::strong_actor_ptr> result
      = failed(tls_ ? no_master_by_tls : no_master);
  caf::scoped_actor self{*system_};
  self->request(middleman(), caf::infinite, caf::connect_atom::value,
                address.host, address.port)
      .receive(
          [&](const caf::node_id&, caf::strong_actor_ptr& actor,
              const Interface& offered) {
            if (actor && system_->assignable(offered, wanted))
              result = std::move(actor);
          },
          [](const caf::error&) {});
  return result;
}

} // namespace stoker
