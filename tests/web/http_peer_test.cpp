// Whom a connection counts for.

#include "web/http_peer.hpp"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "network/connection_owner.hpp"
#include "tests/support/catch.hpp"
#include "web/http_connection.hpp"

using namespace stoker;
using namespace std::chrono_literals;

TEST_CASE("who comes from this machine counts as its user", "[web]") {
  namespace asio = boost::asio;
  using asio::ip::tcp;
  asio::io_context context;
  tcp::acceptor acceptor{context, {asio::ip::make_address("127.0.0.1"), 0}};
  tcp::socket other{context};
  other.connect(acceptor.local_endpoint());
  auto socket = acceptor.accept();
  CHECK(http_peer(own_address(socket), peer_address(socket))
        == HttpPeer{"user " + std::to_string(::geteuid()), true});
  CHECK(is_established(socket.native_handle()));
  auto peer = peer_address(socket);
  other.close();
  CHECK_FALSE(is_established(socket.native_handle()));
  CHECK(http_peer(own_address(socket), peer).has_no_owner);
}

TEST_CASE("who comes from elsewhere counts as his address", "[web]") {
  auto name = [](const char* host) {
    auto result = http_peer({"10.0.0.1", 443}, {host, 5000});
    CHECK_FALSE(result.is_trusted);
    return result.name;
  };
  CHECK(name("10.0.0.2") == "10.0.0.2");
  CHECK(name("::ffff:10.0.0.2") == "10.0.0.2");
  CHECK(name("2001:db8::1") == "2001:db8::/64");
  CHECK(name("2001:db8::2:3") == name("2001:db8::1"));
  CHECK(name("2001:db8:0:1::1") == "2001:db8:0:1::/64");
}

TEST_CASE("who has proven nothing leaves before others", "[web]") {
  auto now = std::chrono::steady_clock::now();
  CHECK(Dispensable{false, now} < Dispensable{true, now - 1h});
  CHECK(Dispensable{true, now - 1s} < Dispensable{true, now});
}
