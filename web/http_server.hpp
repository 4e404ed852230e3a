#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "messages/result.hpp"
#include "network/credentials.hpp"
#include "network/lobby.hpp"
#include "web/http.hpp"

namespace stoker {

/// How much an HttpServer takes of others.
struct HttpServerLimits {
  /// Connections that are open at once. One more is closed at once, unless another one may
  /// be closed for it: one whose peer waits for no answer, or does not read it; first those
  /// of peers who have proven nothing.
  std::size_t connections_max = 128;

  /// Of them, those of one peer: a user of this machine, or an address elsewhere. One more
  /// takes the place of another one of his, or none. 0: as many as there may be.
  std::size_t connections_each_max = 0;

  /// Who reads nothing of an answer for so long may have to leave.
  std::chrono::milliseconds unread_patience{3'000};

  /// Of a request's first line and fields. Who sends more gets 431.
  std::uint32_t header_bytes_max = 16 * 1024;

  /// Memory for bodies of requests that are not complete, of all connections together. If it
  /// is used up, the peer that holds the most loses its largest request.
  std::size_t unfinished_bytes_max = std::size_t{8} << 20U;

  /// How long a request may take to come, and a connection may be idle.
  std::chrono::milliseconds request_timeout{30'000};

  /// How long TLS may take to begin, once more when it is a connection's turn.
  std::chrono::milliseconds handshake_timeout{5'000};

  /// TLS handshakes that proceed at once; others wait for their turn. Their places are those of
  /// connections.
  LobbyLimits handshakes;

  /// How long somebody may take to read what he is answered.
  std::chrono::milliseconds response_timeout{30'000};

  /// What is read, and not yet taken: of fields, of those behind a body in chunks, and of
  /// what else stands beside the chunks. No limit of the parser is for these.
  [[nodiscard]] std::size_t bytes_ahead_max() const {
    constexpr std::size_t least = 32 * 1024;
    return std::max<std::size_t>(least, 2 * header_bytes_max);
  }
};

/// Speaks HTTP/1.1 (RFC 9112): on ports of this machine alone without encryption, on others
/// over TLS 1.3. Has a thread of its own.
///
/// Browsers let pages of anybody send requests to this machine. So a request whose field
/// Host does not name this machine gets 421 (a page whose name was made to lead here), and
/// one that would change something and comes from a page of another server, as its field
/// Origin says, 403.
class HttpServer {
public:
  /// @param on_refusal called for each connection that is closed since there is no place for
  /// it, on the server's thread; must not block. Empty: nobody counts them.
  explicit HttpServer(HttpServerLimits limits = {},
                      std::function<void()> on_refusal = {});

  /// As `stop`.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~HttpServer();

  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Whether it may listen there: a host that others can reach is refused with
  /// `Errc::invalid_request` where nothing is encrypted.
  [[nodiscard]] static Status check_host(const std::string& host,
                                         const Credentials* credentials);

  /// Takes connections; may be called for several ports. Port 0 chooses one. Returns the
  /// port. Fails as `check_host`, with `Errc::in_use` where another process has the port,
  /// and with `Errc::failed`.
  /// @param body_bytes_max Who sends a longer body gets 413.
  /// @param handler called on the server's thread, and must not block
  /// @param credentials What the server proves itself with, over TLS; who connects may show
  /// a certificate of the same authority. Null: nothing is encrypted.
  Result<std::uint16_t> listen(const std::string& host, std::uint16_t port,
                               std::size_t body_bytes_max, HttpHandler handler,
                               std::shared_ptr<const Credentials> credentials
                               = nullptr);

  /// Closes all connections. No handler is called any more then. Stopping twice is
  /// harmless.
  void stop();

private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

} // namespace stoker
