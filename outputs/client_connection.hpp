#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "messages/ids.hpp"
#include "messages/output_location.hpp"
#include "messages/result.hpp"
#include "network/application_tls.hpp"
#include "network/tls_socket.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

/// A connection to an OutputService, for one thread that waits for it. Errors are
/// `Errc::not_alive`: it is of no use any more.
class ClientConnection {
public:
  using Clock = std::chrono::steady_clock;

  /// Connects, and proves to be of the context's application. Ends early when
  /// stopped.
  static Result<std::unique_ptr<ClientConnection>>
  open(const OutputServer& server, const std::shared_ptr<TlsContext>& context,
       std::chrono::milliseconds timeout, const std::stop_token& stop);

  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  /// Sends all of it, while the other side takes something within each `silence_max`.
  Status send(std::span<const char> bytes,
              std::chrono::milliseconds silence_max,
              const std::stop_token& stop);

  /// Reads what is there, at least a byte.
  Result<std::size_t> read(std::span<char> into,
                           std::chrono::milliseconds silence_max,
                           const std::stop_token& stop);

  /// Reads as much as there is room for.
  Status read_all(std::span<char> into, std::chrono::milliseconds silence_max,
                  const std::stop_token& stop);

private:
  ClientConnection(process::UniqueFd socket,
                   const std::shared_ptr<TlsContext>& context)
      : socket_(std::move(socket)),
        tls_(context, socket_.get(), TlsSocket::Side::client) {
  }

  /// Waits until it may be tried again. Fails as `problem` says if it never may.
  Status prepare(TlsSocket::Outcome after, Clock::time_point deadline,
                 const std::stop_token& stop);

  process::UniqueFd socket_;
  TlsSocket tls_;
};

} // namespace stoker
