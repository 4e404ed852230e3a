#include "gateway/frame_server.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>

#include "gateway/frame_server_state.hpp"
#include "gateway/socket_connection.hpp"
#include "network/open_acceptor.hpp"

namespace stoker {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds check_every_max{1'000};
constexpr auto accept_again_after = std::chrono::milliseconds{100};

Error network_error(const std::string& what, const error_code& error) {
  auto code
      = error == asio::error::address_in_use ? Errc::in_use : Errc::failed;
  return {code, what + ": " + error.message()};
}

} // namespace

/// An attempt at a connection.
struct FrameServerState::Attempt {
  explicit Attempt(asio::io_context& x) : resolver(x), socket(x), timer(x) {
  }

  void abandon() {
    error_code ignored;
    timer.cancel();
    resolver.cancel();
    socket.close(ignored);
  }

  tcp::resolver resolver;
  tcp::socket socket;
  asio::steady_timer timer;
};

void FrameServerState::end_all() {
  error_code ignored;
  for (auto& acceptor : acceptors)
    acceptor.close(ignored);
  clock.cancel();
  pause.cancel();
  for (auto& timer : delays)
    timer.cancel();
  for (const auto& attempt : attempts)
    attempt->abandon();
  for (const auto& connection : connections)
    connection->abandon();
  attempts.clear();
  connections.clear();
  deadlines.clear();
  work.reset();
}

void FrameServerState::stop() {
  if (!thread.joinable())
    return;
  // Before all is ended: a connection that was accepted at this moment would be added behind
  // that, and the thread would serve it.
  is_stopped = true;
  asio::post(context, [this] { end_all(); });
  thread.join();
  // What was given meanwhile.
  context.restart();
  context.poll();
}

void FrameServerState::add(tcp::socket socket) {
  if (connections.size() >= limits.connections_max)
    return refusals.warn("there are " + std::to_string(connections.size())
                         + " connections already");
  auto connection = std::make_shared<SocketConnection>(shared_from_this(),
                                                       std::move(socket));
  connections.insert(connection);
  listener.opened(connection);
  connection->begin();
}

void FrameServerState::accept(tcp::acceptor& acceptor) {
  acceptor.async_accept(
      [this, &acceptor](const error_code& error, tcp::socket socket) {
        if (error == asio::error::operation_aborted || is_stopped)
          return;
        if (!error) {
          add(std::move(socket));
          return accept(acceptor);
        }
        // As when no descriptor is left: at once it would fail again.
        refusals.warn(error.message());
        pause.expires_after(accept_again_after);
        pause.async_wait([this, &acceptor](const error_code& e) {
          if (!e)
            accept(acceptor);
        });
      });
}

void FrameServerState::check_later() {
  clock.expires_after(std::min(limits.frame_timeout, check_every_max));
  clock.async_wait([this](const error_code& error) {
    // Its time may have come before it was cancelled.
    if (error || is_stopped)
      return;
    check();
    check_later();
  });
}

void FrameServerState::do_after(std::chrono::milliseconds delay,
                                std::function<void()> what) {
  auto timer = delays.emplace(delays.end(), context, delay);
  timer->async_wait(
      [this, timer, what = std::move(what)](const error_code& error) {
        delays.erase(timer);
        if (!error && !is_stopped)
          what();
      });
}

void FrameServerState::check() {
  auto now = Clock::now();
  while (!deadlines.empty() && deadlines.begin()->first <= now)
    deadlines.begin()->second->overdue();
}

void FrameServerState::connect(const SocketAddress& to,
                               std::chrono::milliseconds timeout,
                               const FrameServer::Connected& done) {
  auto attempt = std::make_shared<Attempt>(context);
  attempts.insert(attempt);
  attempt->timer.expires_after(timeout);
  attempt->timer.async_wait([attempt](const error_code& error) {
    if (!error)
      attempt->abandon();
  });
  auto finish = [self = shared_from_this(), attempt, to,
                 done](const error_code& error) {
    self->attempts.erase(attempt);
    attempt->timer.cancel();
    if (self->is_stopped)
      return;
    if (error)
      return done(network_error("cannot connect to " + to_string(to), error));
    auto connection
        = std::make_shared<SocketConnection>(self, std::move(attempt->socket));
    self->connections.insert(connection);
    done(FrameConnectionPtr{connection});
    connection->begin();
  };
  attempt->resolver.async_resolve(
      to.host, std::to_string(to.port),
      [attempt, finish](const error_code& error, const auto& found) {
        if (error)
          return finish(error);
        asio::async_connect(
            attempt->socket, found,
            [finish](const error_code& e, const tcp::endpoint&) { finish(e); });
      });
}

// -- the server ---------------------------------------------------------------

FrameServer::FrameServer(FrameServerLimits limits, Listener listener)
    : state_(std::make_shared<FrameServerState>(limits, std::move(listener))) {
  state_->run();
}

FrameServer::Later FrameServer::later(std::chrono::milliseconds delay) const {
  return [state = state_, delay](std::function<void()> what) {
    if (state->is_stopped)
      return;
    asio::post(state->context,
               [state, delay, what = std::move(what)]() mutable {
                 if (!state->is_stopped)
                   state->do_after(delay, std::move(what));
               });
  };
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
FrameServer::~FrameServer() {
  stop();
}

void FrameServer::stop() {
  state_->stop();
}

Result<std::uint16_t> FrameServer::listen(const std::string& host,
                                          std::uint16_t port) {
  auto acceptor = open_acceptor(state_->context, host, port);
  if (!acceptor)
    return std::move(acceptor).error();
  error_code error;
  auto bound = acceptor->local_endpoint(error).port();
  asio::post(state_->context,
             [state = state_, x = std::move(*acceptor)]() mutable {
               state->acceptors.push_back(std::move(x));
               state->accept(state->acceptors.back());
             });
  return bound;
}

void FrameServer::connect(const SocketAddress& to,
                          std::chrono::milliseconds timeout, Connected done) {
  asio::post(state_->context,
             [state = state_, to, timeout, done = std::move(done)] {
               state->connect(to, timeout, done);
             });
}

} // namespace stoker
