#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <boost/asio/ip/tcp.hpp>

#include "web/http.hpp"

namespace stoker {

struct HttpServerLimits;
class HttpConnection;

/// What is served at one port.
struct HttpService {
  std::size_t body_bytes_max = 0;
  HttpHandler handler;
};

/// The server, as its connections see it. Outlives them.
class HttpConnectionOwner {
public:
  HttpConnectionOwner() = default;
  HttpConnectionOwner(const HttpConnectionOwner&) = delete;
  HttpConnectionOwner& operator=(const HttpConnectionOwner&) = delete;
  virtual ~HttpConnectionOwner() = default;

  [[nodiscard]] virtual const HttpServerLimits& limits() const = 0;

  /// Does this on the server's thread, unless the server has stopped. For any thread.
  virtual void post(std::function<void()> what) = 0;

  virtual void closed(const std::shared_ptr<HttpConnection>& x) = 0;
};

/// Serves one request after the other of whoever has connected. For the server's thread
/// alone.
class HttpConnection {
public:
  HttpConnection() = default;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  virtual ~HttpConnection() = default;

  virtual void begin() = 0;

  /// Closes it without telling the owner.
  virtual void abandon() = 0;
};

std::shared_ptr<HttpConnection>
make_http_connection(std::shared_ptr<HttpConnectionOwner> owner,
                     boost::asio::ip::tcp::socket socket,
                     std::shared_ptr<const HttpService> service);

} // namespace stoker
