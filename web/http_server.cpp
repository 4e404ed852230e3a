#include "web/http_server.hpp"

#include <atomic>
#include <deque>
#include <exception>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <spdlog/spdlog.h>

#include "network/address.hpp"
#include "network/open_acceptor.hpp"
#include "web/http_connection.hpp"

namespace stoker {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto accept_again_after = std::chrono::milliseconds{100};

} // namespace

/// For the server's thread alone, but for what says otherwise. Connections keep it, since
/// their sockets must not outlive it.
class HttpServer::Impl : public HttpConnectionOwner,
                         public std::enable_shared_from_this<Impl> {
public:
  explicit Impl(const HttpServerLimits& limits) : limits_(limits) {
  }

  void run() {
    thread_ = std::thread{[this] { serve(); }};
  }

  // -- for any thread ---------------------------------------------------------

  Result<std::uint16_t> listen(const std::string& host, std::uint16_t port,
                               HttpService service) {
    auto acceptor = open_acceptor(context_, host, port);
    if (!acceptor)
      return std::move(acceptor).error();
    error_code error;
    auto endpoint = acceptor->local_endpoint(error);
    auto shared = std::make_shared<const HttpService>(std::move(service));
    asio::post(context_, [self = shared_from_this(), shared,
                          moved = std::make_shared<tcp::acceptor>(
                              std::move(*acceptor))]() mutable {
      self->acceptors_.push_back(std::move(*moved));
      self->accept(self->acceptors_.back(), shared);
    });
    return endpoint.port();
  }

  void stop() {
    if (is_stopped_.exchange(true))
      return;
    asio::post(context_, [this] { end_all(); });
    work_.reset();
    thread_.join();
  }

  void post(std::function<void()> what) override {
    if (!is_stopped_)
      asio::post(context_, std::move(what));
  }

  // -- for the server's thread ------------------------------------------------

  [[nodiscard]] const HttpServerLimits& limits() const override {
    return limits_;
  }

  void closed(const std::shared_ptr<HttpConnection>& x) override {
    connections_.erase(x);
  }

private:
  /// What a library throws of one request costs its connection, and nobody else's.
  void serve() {
    while (true)
      try {
        context_.run();
        return;
      } catch (const std::exception& e) {
        spdlog::error("[web-failed] a connection failed: {}", e.what());
      }
  }

  void accept(tcp::acceptor& acceptor,
              const std::shared_ptr<const HttpService>& service) {
    acceptor.async_accept([this, &acceptor, service](const error_code& error,
                                                     tcp::socket socket) {
      if (!acceptor.is_open())
        return;
      // As when no more files may be open.
      if (error && error != asio::error::connection_aborted) {
        pause_.expires_after(accept_again_after);
        return pause_.async_wait([this, &acceptor, service](const error_code&) {
          if (acceptor.is_open())
            accept(acceptor, service);
        });
      }
      if (!error && has_place())
        add(std::move(socket), service);
      accept(acceptor, service);
    });
  }

  /// Who is fast gets in, however many are silent.
  bool has_place() {
    if (connections_.size() < limits_.connections_max)
      return true;
    std::shared_ptr<HttpConnection> oldest;
    for (const auto& x : connections_)
      if (x->dispensable_since()
          && (!oldest || x->dispensable_since() < oldest->dispensable_since()))
        oldest = x;
    if (!oldest)
      return false;
    connections_.erase(oldest);
    oldest->abandon();
    return true;
  }

  void add(tcp::socket socket,
           const std::shared_ptr<const HttpService>& service) {
    auto connection
        = make_http_connection(shared_from_this(), std::move(socket), service);
    connections_.insert(connection);
    connection->begin();
  }

  void end_all() {
    error_code ignored;
    for (auto& x : acceptors_)
      x.close(ignored);
    pause_.cancel();
    for (const auto& x : std::exchange(connections_, {}))
      x->abandon();
  }

  HttpServerLimits limits_;
  asio::io_context context_{1};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>>
      work_{context_.get_executor()};

  /// For any thread.
  std::atomic<bool> is_stopped_{false};
  std::thread thread_;
  asio::steady_timer pause_{context_};
  std::deque<tcp::acceptor> acceptors_;
  std::unordered_set<std::shared_ptr<HttpConnection>> connections_;
};

HttpServer::HttpServer(HttpServerLimits limits)
    : impl_(std::make_shared<Impl>(limits)) {
  impl_->run();
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
HttpServer::~HttpServer() {
  stop();
}

Status HttpServer::check_host(const std::string& host,
                              const Credentials* credentials) {
  if (!credentials && !is_loopback(host))
    return invalid(
        "will not show pages at " + host
        + " without TLS: make certificates with 'stoker certs' and pass "
          "--tls-cert, --tls-key and --tls-ca, or choose 127.0.0.1");
  return {};
}

Result<std::uint16_t>
HttpServer::listen(const std::string& host, std::uint16_t port,
                   std::size_t body_bytes_max, HttpHandler handler,
                   std::shared_ptr<const Credentials> credentials) {
  if (auto status = check_host(host, credentials.get()); !status)
    return std::move(status).error();
  return impl_->listen(
      host == "localhost" ? "127.0.0.1" : host, port,
      {body_bytes_max, std::move(handler), std::move(credentials)});
}

void HttpServer::stop() {
  impl_->stop();
}

} // namespace stoker
