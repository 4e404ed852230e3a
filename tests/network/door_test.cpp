// Two processes' ends of a door in one: real sockets, real TLS, real CAF.

#include "network/door.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <future>
#include <set>
#include <vector>

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
#include <caf/sec.hpp>
#include <caf/send.hpp>

#include "network/basp_broker.hpp"
#include "network/greeting.hpp"
#include "network/owner_credentials.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;
using boost::asio::ip::tcp;

namespace {

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
    auto port = door->listen("127.0.0.1", 0, x.id(), by);
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
    auto connection = door->connect({"127.0.0.1", port}, 5s);
    INFO((connection ? "" : connection.error().message));
    REQUIRE(connection);
    caf::scoped_actor self{*system};
    caf::actor result;
    self->request(middleman, 5s, caf::connect_atom::value, connection->name,
                  std::uint16_t{0})
        .receive(
            [&](const caf::node_id&, caf::strong_actor_ptr& x,
                const std::set<std::string>&) {
              result = caf::actor_cast<caf::actor>(x);
            },
            [&](const caf::error& e) { FAIL(system->render(e)); });
    return result;
  }
};

/// How many actors a system keeps for other nodes.
int count_registered(caf::actor_system& system) {
  int result = 0;
  for (caf::actor_id id = 1; id <= system.latest_actor_id(); ++id)
    if (system.registry().get(id))
      ++result;
  return result;
}

/// Doubles what it is told, or says who has told it something.
caf::behavior doubler(caf::event_based_actor* self, const Door* door) {
  return {[](int x) { return 2 * x; },
          [](const std::string& x) { return x + x; },
          [=](caf::get_atom) {
            auto who = door->peers().find(self->current_sender()->node());
            return who ? to_string(*who) : std::string{"somebody"};
          },
          [=](caf::sys_atom) { return count_registered(self->system()); }};
}

/// Another process, which has a server; CAF knows a network by its process.
class Server {
public:
  explicit Server(const DoorConfig& config = {}) {
    int to_us[2];
    int to_it[2];
    REQUIRE(::pipe(to_us) == 0);
    REQUIRE(::pipe(to_it) == 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::close(to_it[1]);
      serve(config, to_us[1], to_it[0]);
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

  static void serve(const DoorConfig& config, int out, int in) {
    End end{config};
    auto actor = end.system->spawn(doubler, end.door.get());
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

Error refusal_of(End& client, const MasterAddress& to,
                 std::chrono::milliseconds timeout = 5s) {
  auto result = client.door->connect(to, timeout);
  REQUIRE_FALSE(result);
  return result.error();
}

} // namespace

TEST_CASE("messages pass a door in both directions", "[door]") {
  Server server;
  End client;
  auto remote = client.connect(server.port());
  caf::scoped_actor self{*client.system};
  for (int i = 0; i < 100; ++i)
    self->request(remote, 5s, i)
        .receive([&](int x) { CHECK(x == 2 * i); },
                 [&](const caf::error& e) { FAIL(client.system->render(e)); });
  std::string large(1'000'000, 'x');
  self->request(remote, 5s, large)
      .receive([&](const std::string& x) { CHECK(x == large + large); },
               [&](const caf::error& e) { FAIL(client.system->render(e)); });
  self->monitor(remote);
  server.end();
  self->receive(
      [&](const caf::down_msg& x) { CHECK(x.source == remote.address()); });
}

TEST_CASE("nobody ends an actor behind a door", "[door]") {
  Server server;
  End client;
  auto remote = client.connect(server.port());
  caf::scoped_actor self{*client.system};
  self->monitor(remote);
  auto is_sent_away = true;
  SECTION("by an order to end") {
    self->send_exit(remote, caf::exit_reason::kill);
  }
  SECTION("by an error") {
    self->send(remote, caf::make_error(caf::sec::runtime_error));
    is_sent_away = false;
  }
  if (is_sent_away)
    self->receive([](const caf::down_msg&) { SUCCEED("it was left"); },
                  caf::after(5s) >> [] { FAIL("it was not left"); });
  CHECK(server.registered() > 0);
}

TEST_CASE("who has been here leaves no actor behind", "[door]") {
  Server server;
  auto first = server.registered();
  REQUIRE(first > 0);
  for (int i = 0; i < 5; ++i)
    CHECK(server.registered() == first);
}

TEST_CASE("under TLS the server knows who speaks", "[door]") {
  Owner owner;
  Server server{owner.as(Role::node)};
  End client{owner.as(Role::operator_)};
  auto remote = client.connect(server.port());
  caf::scoped_actor self{*client.system};
  std::string who;
  self->request(remote, 5s, caf::get_atom::value)
      .receive([&](const std::string& x) { who = x; },
               [&](const caf::error& e) { FAIL(client.system->render(e)); });
  CHECK(who.starts_with("operator "));
  std::string large(3'000'000, 'x');
  self->request(remote, 10s, large)
      .receive([&](const std::string& x) { CHECK(x == large + large); },
               [&](const caf::error& e) { FAIL(client.system->render(e)); });
}

TEST_CASE("who belongs to another owner does not get in", "[door]") {
  Owner owner;
  Owner other;
  Server server{owner.as(Role::node)};
  End client{other.as(Role::operator_)};
  auto refused = refusal_of(client, {"127.0.0.1", server.port()});
  CHECK(refused.code == Errc::not_alive);
  CHECK(refused.message.starts_with("it is not this user's: "));
}

TEST_CASE("who proves nothing does not get in, nor serves", "[door]") {
  Owner owner;
  SECTION("he does not get in") {
    Server server{owner.as(Role::node)};
    End client;
    CHECK(refusal_of(client, {"127.0.0.1", server.port()})
              .message.find("--insecure")
          != std::string::npos);
  }
  SECTION("he does not serve") {
    Server server;
    End client{owner.as(Role::operator_)};
    CHECK(refusal_of(client, {"127.0.0.1", server.port()})
              .message.find("--insecure")
          != std::string::npos);
  }
}

TEST_CASE("a person's credentials do not serve", "[door]") {
  Owner owner;
  Server server{owner.as(Role::operator_)};
  End client{owner.as(Role::operator_)};
  CHECK(refusal_of(client, {"127.0.0.1", server.port()})
            .message.find("is no node of the cluster")
        != std::string::npos);
}

TEST_CASE("who accepts and says nothing costs no more than the time-out",
          "[door]") {
  Listener silent;
  auto before = std::chrono::steady_clock::now();
  SECTION("without proof") {
    End client;
    CHECK(refusal_of(client, silent.address(), 200ms).message
          == "no answer in time, while waiting for its greeting");
  }
  SECTION("under TLS") {
    Owner owner;
    End client{owner.as(Role::operator_)};
    CHECK(refusal_of(client, silent.address(), 200ms).message
          == "no answer in time, while it was to prove itself");
  }
  CHECK(std::chrono::steady_clock::now() - before < 4s);
}

TEST_CASE("versions that do not understand each other say so", "[door]") {
  Listener listener;
  End client;
  auto own = own_greeting();
  SECTION("another version") {
    auto said = listener.say(to_line({"99.1.0", "0123456789abcdef"}));
    auto refused = refusal_of(client, listener.address());
    CHECK(refused.code == Errc::invalid_request);
    CHECK(refused.message
          == "the master is Stoker 99.1.0, and this is " + own.version
                 + ": install the same version on both");
  }
  SECTION("other messages of the same version") {
    auto said = listener.say(to_line({own.version, "0123456789abcdef"}));
    CHECK(refusal_of(client, listener.address()).message
          == "the master is another build of Stoker " + own.version
                 + ", whose messages differ: install the same build on both");
  }
  SECTION("a master that refuses says why") {
    auto said = listener.say(refusal_line("it is full"));
    CHECK(refusal_of(client, listener.address()).message == "it is full");
  }
  SECTION("something else") {
    auto said = listener.say("HTTP/1.1 400 Bad Request\n");
    CHECK(refusal_of(client, listener.address()).code == Errc::invalid_request);
  }
}

TEST_CASE("silent clients cost others nothing", "[door]") {
  Owner owner;
  auto config = owner.as(Role::node);
  config.limits.unproven_max = 8;
  Server server{config};
  boost::asio::io_context context;
  tcp::endpoint to{boost::asio::ip::address_v4::loopback(), server.port()};
  std::vector<tcp::socket> silent;
  for (int i = 0; i < 100; ++i) {
    silent.emplace_back(context);
    silent.back().connect(to);
  }
  End client{owner.as(Role::operator_)};
  caf::scoped_actor self{*client.system};
  self->request(client.connect(server.port()), 5s, 21)
      .receive([&](int x) { CHECK(x == 42); },
               [&](const caf::error& e) { FAIL(client.system->render(e)); });
  // The oldest are closed.
  char byte = 0;
  boost::system::error_code error;
  silent.front().read_some(boost::asio::buffer(&byte, 1), error);
  CHECK(error);
}

TEST_CASE("who does not prove himself in time is closed", "[door]") {
  auto tls = GENERATE(false, true);
  Owner owner;
  auto config = tls ? owner.as(Role::node) : DoorConfig{};
  config.limits.greeting_timeout = 50ms;
  Server server{config};
  boost::asio::io_context context;
  tcp::socket client{context};
  client.connect({boost::asio::ip::address_v4::loopback(), server.port()});
  char byte = 0;
  boost::system::error_code error;
  client.read_some(boost::asio::buffer(&byte, 1), error);
  CHECK(error == boost::asio::error::eof);
}

TEST_CASE("a peer that hangs is left, and one that has nothing to say is not",
          "[door]") {
  auto tls = GENERATE(false, true);
  Owner owner;
  auto config = tls ? owner.as(Role::node) : DoorConfig{};
  config.limits.silence_max = 400ms;
  Server server{config};
  End client{config};
  auto actor = client.connect(server.port());
  caf::scoped_actor self{*client.system};
  self->monitor(actor);
  // For longer than a peer may be silent.
  self->delayed_send(self, 1s, caf::ok_atom::value);
  self->receive([](caf::ok_atom) { SUCCEED("nothing has ended"); },
                [](const caf::down_msg&) { FAIL("it was left"); });
  server.stop();
  self->receive([](const caf::down_msg&) { SUCCEED("it was left"); },
                caf::after(5s) >> [] { FAIL("it was not left"); });
  server.go_on();
}

TEST_CASE("who does not read what he is sent is left before it is too much",
          "[door]") {
  Server server;
  End client;
  auto actor = client.connect(server.port());
  caf::scoped_actor self{*client.system};
  self->monitor(actor);
  server.stop();
  std::string large(std::size_t{1} << 20, 'x');
  for (std::size_t said = 0; said < 2 * unread_bytes_max; said += large.size())
    self->send(actor, large);
  // Long before it has been silent for too long.
  self->receive([](const caf::down_msg&) { SUCCEED("it was left"); },
                caf::after(10s) >> [] { FAIL("it was not left"); });
  server.go_on();
}
