#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <boost/asio/ip/tcp.hpp>

#include "network/credentials.hpp"
#include "network/frame_budget.hpp"
#include "network/handshake_turn.hpp"
#include "network/lobby.hpp"
#include "web/http.hpp"

namespace stoker {

struct HttpServerLimits;
class HttpConnection;

/// What is served at one port.
struct HttpService {
  std::size_t body_bytes_max = 0;
  HttpHandler handler;

  /// What the server proves itself with, over TLS. Null: nothing is encrypted.
  std::shared_ptr<const Credentials> credentials;
};

/// The server, as its connections see it. Outlives them.
class HttpConnectionOwner {
public:
  HttpConnectionOwner() = default;
  HttpConnectionOwner(const HttpConnectionOwner&) = delete;
  HttpConnectionOwner& operator=(const HttpConnectionOwner&) = delete;
  virtual ~HttpConnectionOwner() = default;

  [[nodiscard]] virtual const HttpServerLimits& limits() const = 0;

  /// Where connections wait for their turn to begin TLS. Keeps its owner.
  virtual std::shared_ptr<Lobby> lobby() = 0;

  /// Does this on the server's thread after `delay`, or before if the server stops.
  virtual DoLater later() = 0;

  /// Does this on the server's thread, unless the server has stopped. For any thread.
  virtual void post(std::function<void()> what) = 0;

  virtual void closed(const std::shared_ptr<HttpConnection>& x) = 0;

  /// What closes a connection, if it is there; for any thread.
  virtual std::function<void()> closing(std::weak_ptr<HttpConnection> x) = 0;
};

/// Why a connection may be closed for another one. The less, the sooner.
struct Dispensable {
  /// Its peer has proven who he is: by a certificate, a session, or as the user of this
  /// process or root.
  bool is_known = false;

  /// Since when it has its place for nothing.
  std::chrono::steady_clock::time_point since;

  friend bool operator<(const Dispensable& a, const Dispensable& b) {
    return std::tie(a.is_known, a.since) < std::tie(b.is_known, b.since);
  }
};

/// Serves one request after the other of whoever has connected. For the server's thread
/// alone.
class HttpConnection {
public:
  HttpConnection() = default;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  virtual ~HttpConnection() = default;

  /// @param peer the peer that it counts for
  /// @param memory what its requests hold counts against this
  virtual void begin(const std::string& peer,
                     std::unique_ptr<FrameBudget::Share> memory)
      = 0;

  /// Closes it without telling the owner.
  virtual void abandon() = 0;

  /// Set while its peer is owed no answer, or has not read it for so long
  /// (HttpServerLimits::unread_patience). Nothing: it keeps its place.
  [[nodiscard]] virtual std::optional<Dispensable> dispensable() const = 0;
};

/// @param is_trusted its peer is the user of this process, or root
std::shared_ptr<HttpConnection>
make_http_connection(std::shared_ptr<HttpConnectionOwner> owner,
                     boost::asio::ip::tcp::socket socket,
                     std::shared_ptr<const HttpService> service,
                     bool is_trusted);

} // namespace stoker
