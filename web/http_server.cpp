#include "web/http_server.hpp"

#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <spdlog/spdlog.h>

#include "network/address.hpp"
#include "network/connection_owner.hpp"
#include "network/descriptor_shortage.hpp"
#include "network/limited_log.hpp"
#include "network/open_acceptor.hpp"
#include "web/http_connection.hpp"
#include "web/http_peer.hpp"

namespace stoker {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto accept_again_after = std::chrono::milliseconds{100};

/// A connection that has a place has one there, too.
LobbyLimits lobby_limits(const HttpServerLimits& limits) {
  auto result = limits.handshakes;
  result.connections_max = limits.connections_max;
  return result;
}

} // namespace

/// For the server's thread alone, but for what says otherwise. Connections keep it, since
/// their sockets must not outlive it.
class HttpServer::Impl : public HttpConnectionOwner,
                         public std::enable_shared_from_this<Impl> {
public:
  Impl(const HttpServerLimits& limits, std::function<void()> on_refusal)
      : limits_(limits), on_refusal_(std::move(on_refusal)),
        lobby_(lobby_limits(limits)) {
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

  std::shared_ptr<Lobby> lobby() override {
    return {shared_from_this(), &lobby_};
  }

  DoLater later() override {
    return [self = shared_from_this()](std::chrono::milliseconds delay,
                                       std::function<void()> what) {
      if (self->is_stopped_)
        return what();
      auto timer
          = self->delays_.emplace(self->delays_.end(), self->context_, delay);
      timer->async_wait([self, timer, what = std::move(what)](error_code) {
        self->delays_.erase(timer);
        what();
      });
    };
  }

  void closed(const std::shared_ptr<HttpConnection>& x) override {
    forget(x);
  }

  std::function<void()> closing(std::weak_ptr<HttpConnection> x) override {
    return [self = shared_from_this(), x = std::move(x)] {
      self->post([self, x] {
        if (auto there = x.lock()) {
          self->forget(there);
          there->abandon();
        }
      });
    };
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
        shortage_.note(error.value());
        pause_.expires_after(accept_again_after);
        return pause_.async_wait([this, &acceptor, service](const error_code&) {
          if (acceptor.is_open())
            accept(acceptor, service);
        });
      }
      // Before anything that can fail, such as for a lack of memory.
      accept(acceptor, service);
      if (!error)
        welcome(std::move(socket), service);
    });
  }

  void welcome(tcp::socket socket,
               const std::shared_ptr<const HttpService>& service) {
    auto peer = http_peer(own_address(socket), peer_address(socket));
    error_code reset;
    socket.remote_endpoint(reset);
    if (reset)
      return;
    // It would not count for its user.
    if (peer.has_no_owner) {
      if (is_established(socket.native_handle()))
        refusals_.warn("closed a connection of " + peer.name + ": "
                       + no_owner_text);
      return;
    }
    if (has_place(peer.name))
      return add(std::move(socket), service, peer);
    if (on_refusal_)
      on_refusal_();
    refusals_.warn("closed a connection of " + peer.name + ": there are "
                   + std::to_string(connections_.size()) + ", of which he has "
                   + std::to_string(count_of(peer.name)));
  }

  [[nodiscard]] std::size_t count_of(const std::string& peer) const {
    auto x = of_peers_.find(peer);
    return x == of_peers_.end() ? 0 : x->second;
  }

  /// Who is fast gets in, however many are silent, and whatever another peer does.
  bool has_place(const std::string& peer) {
    if (limits_.connections_each_max != 0
        && count_of(peer) >= limits_.connections_each_max)
      return close_one([&](const std::string& x) { return x == peer; });
    return connections_.size() < limits_.connections_max
           || close_one([](const std::string&) { return true; });
  }

  /// Closes one that is dispensable. Returns false if there is none.
  /// @param is_meant whether a peer's may be
  template <class Predicate>
  bool close_one(Predicate is_meant) {
    std::shared_ptr<HttpConnection> found;
    std::optional<Dispensable> least;
    for (const auto& [x, peer] : connections_)
      if (auto why = is_meant(peer) ? x->dispensable() : std::nullopt;
          why && (!least || *why < *least)) {
        least = why;
        found = x;
      }
    if (!found)
      return false;
    forget(found);
    found->abandon();
    return true;
  }

  void add(tcp::socket socket,
           const std::shared_ptr<const HttpService>& service,
           const HttpPeer& peer) {
    auto connection = make_http_connection(
        shared_from_this(), std::move(socket), service, peer.is_trusted);
    connections_.emplace(connection, peer.name);
    ++of_peers_[peer.name];
    connection->begin(peer.name, bodies_->open(peer.name, closing(connection)));
  }

  void forget(const std::shared_ptr<HttpConnection>& x) {
    auto found = connections_.find(x);
    if (found == connections_.end())
      return;
    auto own = of_peers_.find(found->second);
    if (--own->second == 0)
      of_peers_.erase(own);
    connections_.erase(found);
  }

  void end_all() {
    error_code ignored;
    for (auto& x : acceptors_)
      x.close(ignored);
    pause_.cancel();
    for (auto& timer : delays_)
      timer.cancel();
    of_peers_.clear();
    for (const auto& [x, peer] : std::exchange(connections_, {}))
      x->abandon();
  }

  HttpServerLimits limits_;
  std::shared_ptr<FrameBudget> bodies_
      = std::make_shared<FrameBudget>(limits_.unfinished_bytes_max, 0);
  std::function<void()> on_refusal_;
  Lobby lobby_;
  asio::io_context context_{1};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>>
      work_{context_.get_executor()};

  /// For any thread.
  std::atomic<bool> is_stopped_{false};
  std::thread thread_;
  asio::steady_timer pause_{context_};

  /// Of what is done later.
  std::list<asio::steady_timer> delays_;
  std::deque<tcp::acceptor> acceptors_;

  /// With the names of their peers.
  std::unordered_map<std::shared_ptr<HttpConnection>, std::string> connections_;

  /// How many connections each peer has.
  std::unordered_map<std::string, std::size_t> of_peers_;
  LimitedLog refusals_{"web-connection-refused"};
  DescriptorShortage shortage_{"to the pages"};
};

HttpServer::HttpServer(HttpServerLimits limits,
                       std::function<void()> on_refusal)
    : impl_(std::make_shared<Impl>(limits, std::move(on_refusal))) {
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
