#include "outputs/client_connection.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace stoker {

namespace {

using Outcome = TlsSocket::Outcome;

/// So soon a thread that waits sees that it was stopped.
constexpr std::chrono::milliseconds stop_seen_within{100};

Error no_connection(const std::string& why) {
  return {Errc::not_alive, why};
}

/// Waits until a socket is ready for one of poll's events.
Status await(int socket, short events,
             ClientConnection::Clock::time_point deadline,
             const std::stop_token& stop) {
  for (;;) {
    if (stop.stop_requested())
      return no_connection("the reader was stopped");
    auto left = std::chrono::ceil<std::chrono::milliseconds>(
        deadline - ClientConnection::Clock::now());
    if (left.count() <= 0)
      return no_connection("no answer in time");
    pollfd waiting{socket, events, 0};
    auto n = ::poll(&waiting, 1,
                    static_cast<int>(std::min(left, stop_seen_within).count()));
    if (n > 0)
      return {};
    if (n < 0 && errno != EINTR)
      return no_connection(std::strerror(errno));
  }
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Result<Addresses> resolve(const OutputServer& server) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (auto error
      = ::getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(),
                      &wanted, &found);
      error != 0)
    return no_connection(::gai_strerror(error));
  return Addresses{found, ::freeaddrinfo};
}

/// Without blocking.
Status connect_socket(int socket, const addrinfo& to,
                      ClientConnection::Clock::time_point deadline,
                      const std::stop_token& stop) {
  if (::connect(socket, to.ai_addr, to.ai_addrlen) == 0)
    return {};
  if (errno != EINPROGRESS)
    return no_connection(std::strerror(errno));
  if (auto good = await(socket, POLLOUT, deadline, stop); !good)
    return good;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? Status{} : no_connection(std::strerror(error));
}

} // namespace

Result<std::unique_ptr<ClientConnection>> ClientConnection::open(
    const OutputServer& server, const std::shared_ptr<TlsContext>& context,
    std::chrono::milliseconds timeout, const std::stop_token& stop) {
  auto deadline = Clock::now() + timeout;
  auto addresses = resolve(server);
  if (!addresses)
    return std::move(addresses).error();
  Status last = no_connection("it has no address");
  process::UniqueFd socket;
  for (const auto* to = addresses->get(); to != nullptr; to = to->ai_next) {
    socket = process::UniqueFd{
        ::socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    last = socket ? connect_socket(socket.get(), *to, deadline, stop)
                  : no_connection(std::strerror(errno));
    if (last)
      break;
  }
  if (!last)
    return std::move(last).error();
  int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  std::unique_ptr<ClientConnection> result{
      new ClientConnection{std::move(socket), context}};
  for (;;) {
    auto tried = result->tls_.shake_hands();
    if (tried.outcome == Outcome::done)
      break;
    if (auto good = result->prepare(tried.outcome, deadline, stop); !good)
      return no_connection("it does not prove to serve the application: "
                           + good.error().message);
  }
  if (!result->tls_.proven_application())
    return no_connection("it does not prove to serve the application");
  return result;
}

Status ClientConnection::prepare(Outcome after, Clock::time_point deadline,
                                 const std::stop_token& stop) {
  switch (after) {
  case Outcome::wants_read:
    return await(socket_.get(), POLLIN, deadline, stop);
  case Outcome::wants_write:
    return await(socket_.get(), POLLOUT, deadline, stop);
  case Outcome::ended:
    return no_connection("it has closed the connection");
  case Outcome::failed:
    return no_connection(tls_.problem());
  case Outcome::done:
    break;
  }
  return {};
}

Status ClientConnection::send(std::span<const char> bytes,
                              std::chrono::milliseconds silence_max,
                              const std::stop_token& stop) {
  for (;;) {
    auto tried = bytes.empty() ? tls_.flush() : tls_.write(bytes);
    if (tried.outcome == Outcome::done && bytes.empty())
      return {};
    bytes = bytes.subspan(tried.bytes);
    if (auto good = prepare(tried.outcome, Clock::now() + silence_max, stop);
        !good)
      return good;
  }
}

Result<std::size_t>
ClientConnection::read(std::span<char> into,
                       std::chrono::milliseconds silence_max,
                       const std::stop_token& stop) {
  for (;;) {
    auto tried = tls_.read(into);
    if (tried.outcome == Outcome::done)
      return tried.bytes;
    if (auto good = prepare(tried.outcome, Clock::now() + silence_max, stop);
        !good)
      return std::move(good).error();
  }
}

Status ClientConnection::read_all(std::span<char> into,
                                  std::chrono::milliseconds silence_max,
                                  const std::stop_token& stop) {
  while (!into.empty()) {
    auto n = read(into, silence_max, stop);
    if (!n)
      return std::move(n).error();
    into = into.subspan(*n);
  }
  return {};
}

} // namespace stoker
