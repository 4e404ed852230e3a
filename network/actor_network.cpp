#include "network/actor_network.hpp"

#include <algorithm>
#include <cassert>
#include <csignal>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <spdlog/spdlog.h>

#include "messages/registry.hpp"
#include "network/basp_broker.hpp"

namespace stoker {

namespace {

using Clock = std::chrono::steady_clock;

/// A master may still know this process by an earlier connection, which it ends
/// when another one comes.
constexpr int attempts_max = 5;
constexpr std::chrono::milliseconds pause_between{50};

constexpr const char* no_credentials
    = "this network has no credentials, and reaches nobody";

std::chrono::milliseconds left_until(Clock::time_point deadline) {
  auto left
      = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return std::max(left, std::chrono::milliseconds{1});
}

} // namespace

class ActorNetwork::Config : public caf::actor_system_config {
public:
  Config() {
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
    // See start_heartbeats().
    set("middleman.heartbeat-interval", caf::timespan{0});
  }

  /// The system as long as its actors may ask for it: they do until all have ended,
  /// in its destructor.
  caf::actor_system* system = nullptr;

  /// Shared by all who connect, which actors do on threads of their own; they begin
  /// nothing more once it is closed.
  std::shared_mutex connecting;
  bool closed = false;
};

ActorNetwork::ActorNetwork() : ActorNetwork(Reach::nobody, nullptr) {
}

ActorNetwork::ActorNetwork(std::shared_ptr<Credentials> credentials)
    : ActorNetwork(Reach::those_with_proof, std::move(credentials)) {
}

std::unique_ptr<ActorNetwork> ActorNetwork::without_proof() {
  return std::unique_ptr<ActorNetwork>{
      new ActorNetwork{Reach::anybody, nullptr}};
}

ActorNetwork::ActorNetwork(Reach reach,
                           std::shared_ptr<Credentials> credentials)
    : config_(std::make_unique<Config>()),
      system_(std::make_unique<caf::actor_system>(*config_)),
      streams_(std::make_shared<LocalStreams>()), reach_(reach),
      credentials_(std::move(credentials)) {
  assert((reach == Reach::those_with_proof) == (credentials_ != nullptr));
  config_->system = system_.get();
  // Who writes to a broken connection hears of it by an error.
  std::signal(SIGPIPE, SIG_IGN);
  DoorConfig config;
  config.credentials = credentials_;
  config.node = system_->node();
  door_ = std::make_unique<Door>(std::move(config), streams_);
  middleman_ = make_local_middleman(*system_, streams_);
  heartbeats_ = start_heartbeats(*system_, DoorLimits::heartbeat_every);
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
ActorNetwork::~ActorNetwork() {
  door_->close();
  {
    std::lock_guard guard{config_->connecting};
    config_->closed = true;
  }
  caf::anon_send_exit(heartbeats_, caf::exit_reason::user_shutdown);
  heartbeats_ = nullptr;
  caf::anon_send_exit(middleman_, caf::exit_reason::user_shutdown);
  middleman_ = nullptr;
  lines_.clear();
  // CAF ends its streams, and the door sends what was said.
  system_.reset();
  door_.reset();
}

void ActorNetwork::hang_up() {
  std::lock_guard guard{mutex_};
  for (const auto& [address, line] : lines_) {
    std::lock_guard line_guard{line->mutex};
    if (line->connection)
      line->connection->close();
  }
}

caf::actor_system& ActorNetwork::system() const {
  return *config_->system;
}

std::optional<Identity>
ActorNetwork::identity_of(const caf::node_id& node) const {
  if (node == system_->node())
    return credentials_ ? credentials_->identity() : std::nullopt;
  return door_->peers().find(node);
}

Status ActorNetwork::read_credentials_again() {
  auto result = credentials_ ? credentials_->reload() : Status{};
  if (!result)
    spdlog::error("[certificates-kept] the certificates stay as they are: {}",
                  result.error().message);
  else
    spdlog::info("[certificates-reloaded] the certificates were read again");
  return result;
}

bool ActorNetwork::has_files_of_cluster() const {
  return credentials_ && credentials_->names_hosts()
         && !credentials_->application();
}

Status ActorNetwork::check_host(const std::string& host) const {
  return check_host(host, credentials_.get());
}

Status ActorNetwork::check_host(const std::string& host,
                                const Credentials* credentials) const {
  // Whoever has credentials of an application reaches this process alone.
  if (reach_ == Reach::nobody && !credentials)
    return invalid(no_credentials);
  if (!(credentials && credentials->names_hosts()) && !is_loopback(host))
    return invalid("will not listen on " + host
                   + " without TLS: anybody could run programs here. Make "
                     "certificates with 'stoker certs' and pass --tls-cert, "
                     "--tls-key and --tls-ca, or listen on 127.0.0.1");
  return {};
}

Result<std::uint16_t> ActorNetwork::publish(const caf::strong_actor_ptr& actor,
                                            const Interface& interface,
                                            const std::string& host,
                                            std::uint16_t port,
                                            std::shared_ptr<Credentials> by) {
  if (auto status = check_host(host, by.get()); !status)
    return std::move(status).error();
  auto bound = door_->listen(host, port, actor, std::move(by), on_refusal_);
  if (!bound)
    return bound;
  caf::scoped_actor self{*system_};
  self->request(middleman_, caf::infinite, caf::publish_atom::value, *bound,
                actor, interface, std::string{}, true)
      .receive([](std::uint16_t) {},
               [&](const caf::error& e) {
                 bound = Error{Errc::failed, system_->render(e)};
               });
  return bound;
}

std::shared_ptr<ActorNetwork::Line>
ActorNetwork::line_to(const MasterAddress& address) {
  std::lock_guard guard{mutex_};
  auto& line = lines_[to_string(address)];
  if (!line)
    line = std::make_shared<Line>();
  return line;
}

bool ActorNetwork::is_open(const Line& line) {
  return line.actor && !line.connection->ended()
         && !line.actor->get()->getf(caf::abstract_actor::is_terminated_flag);
}

bool ActorNetwork::introduce(Line& line, std::chrono::milliseconds timeout) {
  line.actor = nullptr;
  caf::scoped_actor self{*system_};
  self->request(middleman_, timeout, caf::connect_atom::value,
                line.connection->name, std::uint16_t{0})
      .receive(
          [&](const caf::node_id&, caf::strong_actor_ptr& actor,
              Interface& offered) {
            line.actor = std::move(actor);
            line.offered = std::move(offered);
          },
          [&](const caf::error&) { line.connection->close(); });
  return line.actor != nullptr;
}

Result<caf::strong_actor_ptr>
ActorNetwork::connect(const MasterAddress& address, const Interface& wanted,
                      std::chrono::milliseconds timeout) {
  if (reach_ == Reach::nobody)
    return invalid(no_credentials);
  auto deadline = Clock::now() + timeout;
  auto failed = [&](const std::string& why) {
    return Error{Errc::not_alive, to_string(address) + ": " + why};
  };
  std::shared_lock open{config_->connecting};
  if (config_->closed)
    return failed("this process ends");
  auto line = line_to(address);
  std::unique_lock guard{line->mutex, deadline};
  if (!guard)
    return failed("no answer in time");
  for (int attempt = 0; !is_open(*line); ++attempt) {
    if (line->connection)
      line->connection->close();
    if (attempt > 0)
      std::this_thread::sleep_for(pause_between);
    if (attempt == attempts_max || Clock::now() >= deadline)
      return failed("it let us in, and said nothing more");
    auto connection = door_->connect(address, left_until(deadline));
    if (!connection)
      return Error{connection.error().code,
                   to_string(address) + ": " + connection.error().message};
    line->connection = *std::move(connection);
    if (!introduce(*line, left_until(deadline)))
      line->actor = nullptr;
  }
  if (!system_->assignable(line->offered, wanted))
    return failed("it is no Stoker master");
  return line->actor;
}

} // namespace stoker
