// Owners of sockets, as the kernel names them: process/socket_owner.hpp.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>

#include "process/socket_owner.hpp"
#include "process/unique_fd.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::process;

namespace {

UniqueFd new_socket() {
  return UniqueFd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
}

sockaddr_in loopback_address(std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  result.sin_port = htons(port);
  return result;
}

std::uint16_t port_of(const UniqueFd& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  REQUIRE(
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size)
      == 0);
  return ntohs(address.sin_port);
}

/// Listens at all addresses of one interface, or of all if `interface` is empty.
UniqueFd listen_at_any(std::string_view interface) {
  auto result = new_socket();
  if (!interface.empty())
    REQUIRE(::setsockopt(result.get(), SOL_SOCKET, SO_BINDTODEVICE,
                         interface.data(),
                         static_cast<socklen_t>(interface.size()))
            == 0);
  REQUIRE(::listen(result.get(), 1) == 0);
  return result;
}

} // namespace

TEST_CASE(
    "the kernel names the owner of a socket that is bound to an interface",
    "[process]") {
  for (const std::string_view interface : {"", "lo"}) {
    INFO(interface);
    auto listener = listen_at_any(interface);
    auto port = port_of(listener);
    auto there = socket_end("127.0.0.1", port);
    REQUIRE(there);
    CHECK(owner_of_listener(*there) == ::geteuid());
    auto caller = new_socket();
    auto address = loopback_address(port);
    REQUIRE(::connect(caller.get(), reinterpret_cast<const sockaddr*>(&address),
                      sizeof address)
            == 0);
    auto here = socket_end("127.0.0.1", port_of(caller));
    REQUIRE(here);
    CHECK_FALSE(owner_of_connection(*there, *here));
    UniqueFd accepted{::accept(listener.get(), nullptr, nullptr)};
    REQUIRE(accepted);
    CHECK(owner_of_connection(*there, *here) == ::geteuid());
    CHECK(owner_of_connection(*here, *there) == ::geteuid());
  }
}
