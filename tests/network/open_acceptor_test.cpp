// Ports that are free, taken, or soon free.

#include <future>
#include <string>

#include <catch2/catch.hpp>

#include "network/open_acceptor.hpp"

using namespace stoker;

namespace {

namespace asio = boost::asio;

constexpr const char* loopback = "127.0.0.1";

std::uint16_t port_of(const asio::ip::tcp::acceptor& x) {
  return x.local_endpoint().port();
}

} // namespace

TEST_CASE("a port that another has is told with the place and the reason",
          "[open_acceptor]") {
  asio::io_context context;
  auto first = open_acceptor(context, loopback, 0);
  REQUIRE(first);
  auto second = open_acceptor(context, loopback, port_of(*first));
  REQUIRE_FALSE(second);
  CHECK(second.code() == Errc::in_use);
  CHECK(second.error().message
        == "cannot listen at 127.0.0.1:" + std::to_string(port_of(*first))
               + ": Address already in use");
}

TEST_CASE("a host that is not of this machine is told", "[open_acceptor]") {
  asio::io_context context;
  // Of a net for documents (RFC 5737).
  auto opened = open_acceptor(context, "192.0.2.1", 1);
  REQUIRE_FALSE(opened);
  CHECK(opened.code() == Errc::failed);
}

TEST_CASE("a port that is left a moment later is taken", "[open_acceptor]") {
  asio::io_context context;
  auto first = open_acceptor(context, loopback, 0);
  REQUIRE(first);
  asio::io_context other;
  auto second = std::async(std::launch::async, [&, port = port_of(*first)] {
    return open_acceptor(other, loopback, port, std::chrono::minutes{1});
  });
  first->close();
  CHECK(second.get());
}
