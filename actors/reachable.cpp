#include "actors/reachable.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace stoker {

namespace {

/// Returns 0 or an `errno` value.
int try_connect(const addrinfo& address, std::chrono::milliseconds timeout) {
  auto fd = socket(address.ai_family,
                   address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return errno;
  auto error = 0;
  if (connect(fd, address.ai_addr, address.ai_addrlen) != 0) {
    error = errno;
    if (error == EINPROGRESS) {
      pollfd wait{fd, POLLOUT, 0};
      socklen_t size = sizeof(error);
      if (poll(&wait, 1, static_cast<int>(timeout.count())) != 1)
        error = ETIMEDOUT;
      else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    }
  }
  close(fd);
  return error;
}

} // namespace

std::optional<std::string> why_unreachable(const std::string& host,
                                           std::uint16_t port,
                                           std::chrono::milliseconds timeout) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (auto error = getaddrinfo(host.c_str(), std::to_string(port).c_str(),
                               &hints, &found);
      error != 0)
    return gai_strerror(error);
  std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list{found, freeaddrinfo};
  auto error = 0;
  for (const auto* x = list.get(); x != nullptr; x = x->ai_next) {
    error = try_connect(*x, timeout);
    if (error == 0)
      return std::nullopt;
  }
  return std::strerror(error);
}

} // namespace stoker
