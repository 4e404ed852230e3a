#include "network/reachable.hpp"

#include <netdb.h>
#include <netinet/in.h>
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

std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>
resolve(const std::string& host, std::uint16_t port, int& error) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  error
      = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  return {error == 0 ? found : nullptr, freeaddrinfo};
}

} // namespace

Status reach(const std::string& host, std::uint16_t port,
             std::chrono::milliseconds timeout) {
  auto error = 0;
  auto list = resolve(host, port, error);
  if (error != 0)
    return Error{Errc::not_alive, gai_strerror(error)};
  for (const auto* x = list.get(); x != nullptr; x = x->ai_next) {
    error = try_connect(*x, timeout);
    if (error == 0)
      return {};
  }
  return Error{Errc::not_alive, std::strerror(error)};
}

std::uint16_t free_port(const std::string& host) {
  auto error = 0;
  auto list = resolve(host, 0, error);
  if (!list)
    return 0;
  auto fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  std::uint16_t port = 0;
  if (bind(fd, list->ai_addr, list->ai_addrlen) == 0
      && getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    port = ntohs(address.ss_family == AF_INET6
                     ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                     : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  close(fd);
  return port;
}

} // namespace stoker
