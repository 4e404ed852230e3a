#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "process/unique_fd.hpp"
#include "tests/support/catch.hpp"

namespace stoker::test {

/// The other end of a connection to 127.0.0.1, which sends what the test likes.
class SocketClient {
public:
  explicit SocketClient(std::uint16_t port) : SocketClient(port, new_socket()) {
  }

  /// @param socket is not connected yet, and may be another user's
  SocketClient(std::uint16_t port, process::UniqueFd socket)
      : fd_(std::move(socket)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(
        ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to)
        == 0);
  }

  void send(const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      auto n = ::send(fd_.get(), bytes.data() + sent, bytes.size() - sent,
                      MSG_NOSIGNAL);
      REQUIRE(n > 0);
      sent += static_cast<std::size_t>(n);
    }
  }

  /// What comes until there are `size` bytes, the other end closes, or 10 s are over.
  std::string receive(std::size_t size) {
    std::string result;
    std::array<char, 4096> buffer{};
    while (result.size() < size) {
      pollfd event{fd_.get(), POLLIN, 0};
      if (::poll(&event, 1, patience_ms) <= 0)
        break;
      auto n = ::recv(fd_.get(), buffer.data(),
                      std::min(buffer.size(), size - result.size()), 0);
      if (n <= 0)
        break;
      result.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return result;
  }

  /// Whether the other end closes it, within 10 s, without a byte more.
  bool is_closed() {
    pollfd event{fd_.get(), POLLIN, 0};
    char byte = 0;
    return ::poll(&event, 1, patience_ms) > 0
           && ::recv(fd_.get(), &byte, 1, 0) <= 0;
  }

  /// Whether nothing has come, and the other end has not closed it.
  [[nodiscard]] bool is_silent() const {
    char byte = 0;
    return ::recv(fd_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0
           && errno == EAGAIN;
  }

  void close() {
    fd_.reset();
  }

  static process::UniqueFd new_socket() {
    return process::UniqueFd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  }

private:
  static constexpr int patience_ms = 10'000;

  process::UniqueFd fd_;
};

} // namespace stoker::test
