// Connections whose other machine has died.

#include "network/dead_machines.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("a connection has the kernel ask for its peer when it is idle",
          "[network]") {
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket socket{context};
  socket.open(boost::asio::ip::tcp::v4());
  notice_dead_machine(socket);
  auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    REQUIRE(::getsockopt(socket.native_handle(), level, name, &value, &size)
            == 0);
    return value;
  };
  CHECK(option(SOL_SOCKET, SO_KEEPALIVE) != 0);
  // Two minutes after the last word at the latest.
  CHECK(option(IPPROTO_TCP, TCP_KEEPIDLE)
            + option(IPPROTO_TCP, TCP_KEEPINTVL)
                  * option(IPPROTO_TCP, TCP_KEEPCNT)
        <= 120);
}
