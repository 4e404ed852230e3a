// What a process learns of a port before it listens there.

#include <atomic>
#include <cstdint>
#include <future>
#include <set>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <catch2/catch.hpp>

#include "network/free_port.hpp"
#include "network/open_acceptor.hpp"

using namespace stoker;

namespace {

using boost::asio::ip::tcp;

constexpr const char* own_host = "127.0.0.1";

/// Whether a connection is refused at once, as where nobody has ever listened: neither
/// made nor broken.
bool is_refused(std::uint16_t port) {
  boost::asio::io_context context;
  tcp::socket socket{context};
  socket.open(tcp::v4());
  // From another address: a socket can connect to itself.
  socket.bind({boost::asio::ip::make_address("127.0.0.2"), 0});
  boost::system::error_code error;
  socket.connect({boost::asio::ip::make_address(own_host), port}, error);
  return error == boost::asio::error::connection_refused;
}

} // namespace

TEST_CASE("nobody connects to a process that only asks for a port",
          "[free_port]") {
  auto port = free_port(own_host);
  REQUIRE(port != 0);
  constexpr auto tries = 10000;
  std::atomic<bool> trying{true};
  auto refused = std::async(std::launch::async, [&] {
    auto result = 0;
    while (result < tries && is_refused(port))
      ++result;
    trying = false;
    return result;
  });
  auto good = true;
  while (trying)
    good = try_port(own_host, port) && wait_for_port(own_host, port) && good;
  CHECK(good);
  CHECK(refused.get() == tries);
}

TEST_CASE("free_port gives different ports when they are not used at once",
          "[free_port]") {
  // There are some 14,000 ports: in every seventh round, two of 64 would be the same.
  for (int round = 0; round < 200; ++round) {
    std::set<std::uint16_t> ports;
    for (int i = 0; i < 64; ++i)
      ports.insert(free_port(own_host));
    REQUIRE(ports.size() == 64);
    REQUIRE_FALSE(ports.contains(0));
  }
}

TEST_CASE("a port that another listens at is told before", "[free_port]") {
  boost::asio::io_context context;
  auto other = open_acceptor(context, own_host, 0);
  REQUIRE(other);
  auto port = other->local_endpoint().port();
  auto checked = try_port(own_host, port);
  REQUIRE_FALSE(checked);
  CHECK(checked.code() == Errc::in_use);
  auto waited = wait_for_port(own_host, port);
  REQUIRE_FALSE(waited);
  CHECK(waited.error().message
        == "cannot listen at 127.0.0.1:" + std::to_string(port)
               + ": Address already in use; choose another with --host and "
                 "--port");
}
