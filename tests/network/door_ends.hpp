#pragma once

// Two processes' ends of a door in one: real sockets, real TLS, real CAF.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <set>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/middleman_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include "network/basp_broker.hpp"
#include "network/door.hpp"
#include "network/owner_credentials.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stoker::test {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;

/// One process's end of the network.
struct End {
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::shared_ptr<LocalStreams> streams = std::make_shared<LocalStreams>();
  std::unique_ptr<Door> door;
  caf::io::middleman_actor middleman;
  caf::actor heartbeats;
  std::shared_ptr<Credentials> by;

  explicit End(DoorConfig door_config = {}) : by(door_config.credentials) {
    config.load<caf::io::middleman>();
    config.set("middleman.enable-automatic-connections", false);
    config.set("middleman.workers", std::size_t{0});
    config.set("middleman.heartbeat-interval", caf::timespan{0});
    system = std::make_unique<caf::actor_system>(config);
    door_config.node = system->node();
    door = std::make_unique<Door>(door_config, streams);
    middleman = make_local_middleman(*system, streams);
    heartbeats = start_heartbeats(*system, 50ms);
  }

  ~End() {
    door->close();
    caf::anon_send_exit(heartbeats, caf::exit_reason::user_shutdown);
    heartbeats = nullptr;
    caf::anon_send_exit(middleman, caf::exit_reason::user_shutdown);
    middleman = nullptr;
    // CAF ends its streams, for which the door waits.
    system.reset();
    door.reset();
  }

  std::uint16_t publish(const caf::actor& x) {
    auto port = door->listen("127.0.0.1", 0,
                             caf::actor_cast<caf::strong_actor_ptr>(x), by, {});
    REQUIRE(port);
    caf::scoped_actor self{*system};
    std::uint16_t bound = 0;
    self->request(middleman, 5s, caf::publish_atom::value, *port,
                  caf::actor_cast<caf::strong_actor_ptr>(x),
                  std::set<std::string>{}, std::string{}, true)
        .receive([&](std::uint16_t y) { bound = y; },
                 [&](const caf::error& e) { FAIL(system->render(e)); });
    REQUIRE(bound == *port);
    return bound;
  }

  caf::actor connect(std::uint16_t port) {
    return introduce(let_in(port), [] {});
  }

  Door::Connection let_in(std::uint16_t port) const {
    auto connection = door->connect({"127.0.0.1", port}, 5s);
    INFO((connection ? "" : connection.error().message));
    REQUIRE(connection);
    return *std::move(connection);
  }

  /// @param then is called when CAF has been asked to speak to whoever is there, before it
  /// has answered.
  caf::actor introduce(const Door::Connection& connection,
                       const std::function<void()>& then) {
    caf::scoped_actor self{*system};
    caf::actor result;
    auto asked = self->request(middleman, 5s, caf::connect_atom::value,
                               connection.name, std::uint16_t{0});
    then();
    asked.receive(
        [&](const caf::node_id&, caf::strong_actor_ptr& x,
            const std::set<std::string>&) {
          result = caf::actor_cast<caf::actor>(x);
        },
        [&](const caf::error& e) { FAIL(system->render(e)); });
    return result;
  }
};

/// How many actors a system keeps for other nodes.
inline int count_registered(caf::actor_system& system) {
  int result = 0;
  for (caf::actor_id id = 1; id <= system.latest_actor_id(); ++id)
    if (system.registry().get(id))
      ++result;
  return result;
}

/// Doubles what it is told, or says who has told it something.
inline caf::behavior doubler(caf::event_based_actor* self, const Door* door) {
  return {[](int x) { return 2 * x; },
          [](const std::string& x) { return x + x; },
          [=](caf::get_atom) {
            auto who = door->peers().find(self->current_sender()->node());
            return who ? to_string(*who) : std::string{"somebody"};
          },
          [=](caf::sys_atom) { return count_registered(self->system()); }};
}

/// What an actor does behind a door.
using Behave = caf::behavior (*)(caf::event_based_actor*, const Door*);

/// Another process, which has a server; CAF knows a network by its process.
class Server {
public:
  explicit Server(const DoorConfig& config = {}, Behave behave = doubler) {
    int to_us[2];
    int to_it[2];
    REQUIRE(::pipe(to_us) == 0);
    REQUIRE(::pipe(to_it) == 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::close(to_it[1]);
      serve(config, behave, to_us[1], to_it[0]);
      ::_exit(0);
    }
    ::close(to_us[1]);
    ::close(to_it[0]);
    alive_ = to_it[1];
    REQUIRE(::read(to_us[0], &port_, sizeof port_) == sizeof port_);
    ::close(to_us[0]);
  }

  ~Server() {
    end();
  }

  /// It does nothing any more, but its connections stay.
  void stop() const {
    ::kill(process_, SIGSTOP);
  }
  void go_on() const {
    ::kill(process_, SIGCONT);
  }

  /// It ends in good order.
  void end() {
    if (process_ == 0)
      return;
    ::close(alive_);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

  [[nodiscard]] std::uint16_t port() const {
    return port_;
  }
  [[nodiscard]] pid_t process() const {
    return process_;
  }

  /// Another process connects, asks how many actors it keeps for other nodes, and
  /// ends.
  [[nodiscard]] int registered() const {
    auto asker = ::fork();
    if (asker == 0)
      ::_exit(ask_for_registered(port_));
    int status = 0;
    REQUIRE(::waitpid(asker, &status, 0) == asker);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
  }

private:
  static int ask_for_registered(std::uint16_t port) {
    End client;
    auto remote = client.connect(port);
    caf::scoped_actor self{*client.system};
    int result = -1;
    self->request(remote, 5s, caf::sys_atom::value)
        .receive([&](int x) { result = x; }, [](const caf::error&) {});
    return result;
  }

  static void serve(const DoorConfig& config, Behave behave, int out, int in) {
    End end{config};
    auto actor = end.system->spawn(behave, end.door.get());
    auto port = end.publish(actor);
    static_cast<void>(::write(out, &port, sizeof port));
    char byte = 0;
    static_cast<void>(::read(in, &byte, 1));
    // The system waits for all of its actors.
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }

  pid_t process_ = 0;
  int alive_ = -1;
  std::uint16_t port_ = 0;
};

/// The credentials of a new owner: for a server, or for who asks.
class Owner {
public:
  [[nodiscard]] DoorConfig as(Role role) const {
    auto files = owner_credentials(directory_.path("state"), role);
    REQUIRE(files);
    auto loaded = Credentials::load(*files);
    REQUIRE(loaded);
    DoorConfig result;
    result.credentials = *std::move(loaded);
    return result;
  }

private:
  TemporaryDirectory directory_;
};

/// A socket at a port, and nothing behind it that knows what to say.
struct Listener {
  boost::asio::io_context context;
  tcp::acceptor acceptor{
      context, tcp::endpoint{boost::asio::ip::address_v4::loopback(), 0}};

  [[nodiscard]] MasterAddress address() const {
    return {"127.0.0.1", acceptor.local_endpoint().port()};
  }

  /// Takes one connection, says a line, and waits for its end.
  std::future<void> say(const std::string& line) {
    return std::async(std::launch::async, [this, line] {
      auto peer = acceptor.accept();
      boost::asio::write(peer, boost::asio::buffer(line));
      boost::system::error_code ended;
      std::array<char, 256> ignored{};
      while (!ended)
        peer.read_some(boost::asio::buffer(ignored), ended);
    });
  }
};

inline Error refusal_of(End& client, const MasterAddress& to,
                        std::chrono::milliseconds timeout = 5s) {
  auto result = client.door->connect(to, timeout);
  REQUIRE_FALSE(result);
  return result.error();
}

} // namespace stoker::test
