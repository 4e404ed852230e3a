// What silent peers and hosts may cost at a door: how long, and how much.

#include <array>
#include <chrono>
#include <future>
#include <new>
#include <string>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <caf/scoped_actor.hpp>

#include "network/door_threads.hpp"
#include "tests/network/door_ends.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// Reads a byte, which is not to come. Returns how the connection has ended.
boost::system::error_code end_of(tcp::socket& socket) {
  char byte = 0;
  boost::system::error_code result;
  socket.read_some(boost::asio::buffer(&byte, 1), result);
  return result;
}

} // namespace

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

TEST_CASE(
    "a host whose name is looked up for ever costs no more than the time-out",
    "[door]") {
  std::promise<void> found;
  DoorConfig config;
  config.look_up = [until = found.get_future().share()](const auto&, auto) {
    until.wait();
    return Result<HostEndpoints>{HostEndpoints{}};
  };
  {
    End client{config};
    CHECK(refusal_of(client, {"somewhere", 7077}, 200ms).message
          == "no answer in time, while looking its name up");
    // Its end does not wait for it either.
  }
  found.set_value();
}

TEST_CASE("attempts to connect end with a door", "[door]") {
  Listener silent;
  End client;
  auto attempt = std::async(std::launch::async, [&] {
    return client.door->connect(silent.address(), 10min);
  });
  silent.acceptor.accept();
  client.door->close();
  REQUIRE(attempt.wait_for(10s) == std::future_status::ready);
  CHECK_FALSE(attempt.get());
  CHECK_FALSE(client.door->connect(silent.address(), 10min));
}

TEST_CASE("silent clients cost others nothing", "[door]") {
  Owner owner;
  auto config = owner.as(Role::node);
  config.limits.lobby.connections_max = 8;
  // They are silent for long enough at once.
  config.limits.lobby.turn_time = 0ms;
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
  CHECK(end_of(silent.front()));
}

namespace {

/// A kernel that knows the processes at 127.0.0.2 as another user's.
PeerOwner owner_by_address(const SocketAddress& here,
                           const SocketAddress& peer) {
  constexpr uid_t another = 65'534;
  return peer.host == "127.0.0.2" ? PeerOwner{PeerOwner::Kind::user, another}
                                  : find_peer_owner(here, peer);
}

/// A connection of the other user.
tcp::socket connection_of_another(boost::asio::io_context& context,
                                  std::uint16_t port) {
  tcp::socket result{context};
  result.open(tcp::v4());
  result.bind({boost::asio::ip::make_address_v4("127.0.0.2"), 0});
  result.connect({boost::asio::ip::address_v4::loopback(), port});
  return result;
}

} // namespace

TEST_CASE("a door refuses another user before TLS when the credentials are its "
          "owner's",
          "[door]") {
  Owner owner;
  auto config = owner.as(Role::node);
  config.find_owner = owner_by_address;
  // TLS would take its first byte, and wait for more.
  config.limits.greeting_timeout = 1h;
  Server server{config};
  boost::asio::io_context context;
  auto another = connection_of_another(context, server.port());
  std::array<unsigned char, 64> said{};
  boost::system::error_code error;
  auto count = boost::asio::read(another, boost::asio::buffer(said), error);
  CHECK(error == boost::asio::error::eof);
  REQUIRE(count == 7);
  // A fatal alert of TLS: access denied.
  CHECK(said[0] == 21);
  CHECK(said[6] == 49);
  // A client of Stoker's says what that means.
  config.find_owner = [](const auto&, const auto&) {
    return PeerOwner{PeerOwner::Kind::user, 65'534};
  };
  Server closed_to_all{config};
  End client{owner.as(Role::operator_)};
  CHECK(refusal_of(client, {"127.0.0.1", closed_to_all.port()})
            .message.starts_with("it is not this user's: "));
}

TEST_CASE("a door closes a connection whose owner is not found", "[door]") {
  DoorConfig config;
  config.find_owner = [](const auto&, const auto&) {
    return PeerOwner{PeerOwner::Kind::closed};
  };
  Server server{config};
  boost::asio::io_context context;
  tcp::socket client{context};
  client.connect({boost::asio::ip::address_v4::loopback(), server.port()});
  CHECK(end_of(client) == boost::asio::error::eof);
}

TEST_CASE(
    "a door lets a peer in while another one holds all places that it gets",
    "[door]") {
  DoorConfig config;
  config.find_owner = owner_by_address;
  config.limits.lobby.connections_max = 8;
  // None of them is silent for long enough.
  config.limits.lobby.turn_time = 1h;
  config.limits.greeting_timeout = 1h;
  Server server{config};
  boost::asio::io_context context;
  std::vector<tcp::socket> flood;
  for (int i = 0; i < 20; ++i) {
    flood.push_back(connection_of_another(context, server.port()));
    boost::system::error_code ignored;
    flood.back().write_some(boost::asio::buffer("S", 1), ignored);
  }
  End client;
  client.let_in(server.port());
  // The oldest stay: the newest gave way.
  flood.front().non_blocking(true);
  char byte = 0;
  boost::system::error_code error;
  flood.front().read_some(boost::asio::buffer(&byte, 1), error);
  CHECK(error == boost::asio::error::would_block);
}

TEST_CASE("threads of a door continue when a connection throws", "[door]") {
  DoorThreads threads{1};
  std::promise<void> done;
  boost::asio::post(threads.next(), [] { throw std::bad_alloc{}; });
  boost::asio::post(threads.next(), [&] { done.set_value(); });
  CHECK(done.get_future().wait_for(10s) == std::future_status::ready);
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
  CHECK(end_of(client) == boost::asio::error::eof);
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

TEST_CASE("nobody takes all places", "[door]") {
  Owner owner;
  auto config = owner.as(Role::node);
  config.limits.connections_max = 4;
  Server server{config};
  End client{owner.as(Role::operator_)};
  MasterAddress to{"127.0.0.1", server.port()};
  std::vector<Door::Connection> open;
  for (int i = 0; i < 2; ++i) {
    auto connection = client.door->connect(to, 5s);
    REQUIRE(connection);
    open.push_back(*std::move(connection));
  }
  // Chosen places do not follow from open files.
  const std::string_view of_one
      = " has 2 connections, and may have no more: half of the master's 4";
  CHECK(refusal_of(client, to).message.ends_with(of_one));
  // A node gets in.
  End node{owner.as(Role::node)};
  auto last = node.door->connect(to, 5s);
  CHECK(last);
  auto beyond = node.door->connect(to, 5s);
  CHECK(beyond);
  CHECK(refusal_of(node, to).message.ends_with(
      "the master has as many connections as it may: 4"));
  REQUIRE(beyond);
  beyond->close();
  // Who leaves makes room.
  open.front().close();
  auto until = std::chrono::steady_clock::now() + 10s;
  auto again = client.door->connect(to, 5s);
  while (!again && std::chrono::steady_clock::now() < until)
    again = client.door->connect(to, 5s);
  CHECK(again);
}
