#include "gateway/frame_server.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include "gateway/frame_server_state.hpp"
#include "gateway/socket_connection.hpp"
#include "network/address.hpp"
#include "network/connection_owner.hpp"
#include "network/open_acceptor.hpp"
#include "network/peer_name.hpp"

namespace stoker {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

PeerTrust trust_in(std::optional<uid_t> owner) {
  return owner && (*owner == ::geteuid() || *owner == 0) ? PeerTrust::own
                                                         : PeerTrust::newcomer;
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds check_every_max{1'000};
constexpr auto accept_again_after = std::chrono::milliseconds{100};

/// How long the thread waits when it could not do something for want of memory.
constexpr auto serve_again_after = std::chrono::milliseconds{10};

Error network_error(const error_code& error) {
  return {Errc::failed, error.message()};
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

void FrameServerState::serve() {
  while (true)
    try {
      wait_for_all();
      context.run();
      return;
    } catch (const std::exception& error) {
      spdlog::error("[spark-connections] {}", error.what());
      std::this_thread::sleep_for(serve_again_after);
    }
}

void FrameServerState::wait_for_all() {
  if (is_stopped)
    return;
  for (auto& acceptor : acceptors)
    if (!acceptor.is_waiting)
      accept(acceptor);
  if (!clock_is_set)
    check_later();
}

void FrameServerState::end_all() {
  error_code ignored;
  for (auto& acceptor : acceptors)
    acceptor.socket.close(ignored);
  clock.cancel();
  pause.cancel();
  for (auto& timer : delays)
    timer.cancel();
  for (const auto& attempt : attempts)
    attempt->abandon();
  for (const auto& connection : connections)
    connection->abandon();
  attempts.clear();
  newcomers.clear();
  hungry.clear();
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

// -- connections that come ----------------------------------------------------

std::shared_ptr<PeerShare>
FrameServerState::share_of(const FrameConnection& x) {
  if (shares.size() > 2 * connections.size() + 16)
    std::erase_if(shares, [](const auto& y) { return y.second.expired(); });
  auto owner = x.owner();
  auto known_owner
      = owner ? PeerOwner{PeerOwner::Kind::user, *owner} : PeerOwner{};
  auto& known = shares[peer_name(x.peer(), known_owner)];
  auto result = known.lock();
  if (!result)
    known = result = std::make_shared<PeerShare>();
  return result;
}

bool FrameServerState::replace_newcomer(const PeerShare& share) {
  auto most = std::max_element(
      newcomers.begin(), newcomers.end(), [](const auto* a, const auto* b) {
        return a->share()->newcomers < b->share()->newcomers;
      });
  if (most == newcomers.end()
      || (*most)->share()->newcomers <= share.newcomers + 1)
    return false;
  auto connection = (*most)->shared_from_this();
  connection->end("it is new, and another user or address needs its place");
  return true;
}

std::string FrameServerState::make_room(const PeerShare* share) {
  auto full = [](std::size_t count, const std::string& of) {
    return "there are " + std::to_string(count) + " connections " + of
           + "already";
  };
  if (connections.size() >= limits.connections_max)
    return full(connections.size(), "");
  if (share == nullptr)
    return {};
  if (share->connections >= std::max<std::size_t>(
          1, limits.connections_max / std::max<std::size_t>(1, limits.parts)))
    return full(share->connections, "of that user or address ");
  const auto& max = limits.newcomers;
  if (share->newcomers >= max.connections_each)
    return full(share->newcomers, "of newcomers of that user or address ");
  if (newcomers.size() >= max.connections_max && !replace_newcomer(*share))
    return full(newcomers.size(), "of newcomers ");
  return {};
}

void FrameServerState::add(tcp::socket socket) {
  auto connection = std::make_shared<SocketConnection>(shared_from_this(),
                                                       std::move(socket));
  connection->find_owner();
  auto trust = listener.admit ? listener.admit(*connection)
                              : Result<PeerTrust>{PeerTrust::own};
  if (!trust) {
    auto line = to_string(connection->peer()) + ": " + trust.error().message;
    // The peer has left.
    return trust.code() == Errc::not_running ? refusals.debug(line)
                                             : refusals.warn(line);
  }
  auto share = *trust == PeerTrust::own ? nullptr : share_of(*connection);
  if (auto full = make_room(share.get()); !full.empty())
    return refusals.warn(full);
  connection->enter(std::move(share));
  connection->guarded([&] {
    listener.opened(connection);
    connection->begin();
  });
}

void FrameServerState::accept(Acceptor& acceptor) {
  acceptor.is_waiting = true;
  acceptor.socket.async_accept(
      [this, &acceptor](const error_code& error, tcp::socket socket) {
        acceptor.is_waiting = false;
        if (error == asio::error::operation_aborted || is_stopped)
          return;
        if (!error) {
          add(std::move(socket));
          return accept(acceptor);
        }
        // As when no descriptor is left: at once it would fail again.
        refusals.warn(error.message());
        pause.expires_after(accept_again_after);
        acceptor.is_waiting = true;
        pause.async_wait([this, &acceptor](const error_code& e) {
          acceptor.is_waiting = false;
          if (!e)
            accept(acceptor);
        });
      });
}

// -- what connections tell ----------------------------------------------------

void FrameServerState::limit_incomplete(const PeerShare* share) {
  limit_held({&HeldBytes::incomplete, limits.incomplete_bytes_max,
              limits.newcomers.incomplete_bytes_max,
              "there is too much that is incomplete"},
             share);
}

void FrameServerState::limit_unread(const PeerShare* share) {
  limit_held({&HeldBytes::unread, limits.unread_bytes_of_all_max,
              limits.newcomers.unread_bytes_max,
              "there is too much that is not read"},
             share);
}

void FrameServerState::limit_held(const HeldLimit& limit,
                                  const PeerShare* share) {
  auto kind = limit.kind;
  auto end_largest = [&](auto counts) {
    SocketConnection* most = nullptr;
    for (const auto& x : connections)
      if (counts(*x)
          && (most == nullptr || x->held().*kind > most->held().*kind))
        most = x.get();
    if (most != nullptr)
      most->shared_from_this()->end(limit.why);
  };
  if (held.*kind > limit.all_max)
    end_largest([](const SocketConnection&) { return true; });
  if (held_by_newcomers.*kind > limit.newcomers_max)
    end_largest([](const SocketConnection& x) { return x.is_newcomer(); });
  if (share != nullptr
      && share->held.*kind
             > limit.all_max / std::max<std::size_t>(1, limits.parts))
    end_largest(
        [share](const SocketConnection& x) { return x.share() == share; });
}

bool FrameServerState::has_room_for_frames(const PeerShare* share) const {
  auto max = limits.queued_bytes_max;
  return queued_bytes < max
         && (share == nullptr
             || share->queued_bytes
                    < max / std::max<std::size_t>(1, limits.parts));
}

void FrameServerState::release_frames(std::size_t bytes,
                                      PeerShare* share) noexcept {
  queued_bytes -= bytes;
  if (share != nullptr)
    share->queued_bytes -= bytes;
  if (!is_any_hungry || is_stopped || !is_any_hungry.exchange(false))
    return;
  try {
    asio::post(context, [self = shared_from_this()] { self->feed_hungry(); });
  } catch (const std::exception&) {
    // Without memory for that, the next check does it.
  }
}

void FrameServerState::feed_hungry() {
  for (const auto& x : std::exchange(hungry, {}))
    x->read_on();
}

void FrameServerState::check_later() {
  clock_is_set = true;
  clock.expires_after(std::min(limits.frame_timeout, check_every_max));
  clock.async_wait([this](const error_code& error) {
    clock_is_set = false;
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
  feed_hungry();
}

// -- connections that are opened from here ------------------------------------

namespace {

/// The addresses where a process of the right user listens.
template <class Found>
Result<std::vector<tcp::endpoint>>
endpoints_to_call(const Found& found, const FrameServer::CheckOwner& check) {
  std::vector<tcp::endpoint> result;
  Status status = Error{Errc::failed, "it has no address"};
  for (const auto& x : found) {
    const auto& endpoint = x.endpoint();
    status = check(
        owner_of_listener({endpoint.address().to_string(), endpoint.port()}));
    if (status)
      result.push_back(endpoint);
  }
  if (result.empty())
    return std::move(status).error();
  return result;
}

} // namespace

void FrameServerState::connect(const SocketAddress& to,
                               std::chrono::milliseconds timeout,
                               const FrameServer::CheckOwner& check,
                               const FrameServer::Connected& done) {
  auto attempt = std::make_shared<Attempt>(context);
  attempts.insert(attempt);
  attempt->timer.expires_after(timeout);
  attempt->timer.async_wait([attempt](const error_code& error) {
    if (!error)
      attempt->abandon();
  });
  auto finish = [self = shared_from_this(), attempt, to, check,
                 done](const Status& status) {
    self->attempts.erase(attempt);
    attempt->timer.cancel();
    if (self->is_stopped)
      return;
    if (!status)
      return done(Error{status.code(), "cannot connect to " + to_string(to)
                                           + ": " + status.error().message});
    auto connection
        = std::make_shared<SocketConnection>(self, std::move(attempt->socket));
    connection->check_first(check);
    connection->enter(nullptr);
    connection->guarded([&] {
      done(FrameConnectionPtr{connection});
      connection->begin();
    });
  };
  attempt->resolver.async_resolve(
      to.host, std::to_string(to.port),
      [attempt, finish, check](const error_code& error, const auto& found) {
        if (error)
          return finish(network_error(error));
        auto endpoints = endpoints_to_call(found, check);
        if (!endpoints)
          return finish(std::move(endpoints).error());
        asio::async_connect(
            attempt->socket, *endpoints,
            [finish](const error_code& e, const tcp::endpoint&) {
              finish(e ? Status{network_error(e)} : Status{});
            });
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
               state->acceptors.push_back({std::move(x)});
               state->accept(state->acceptors.back());
             });
  return bound;
}

void FrameServer::connect(const SocketAddress& to,
                          std::chrono::milliseconds timeout, CheckOwner check,
                          Connected done) {
  asio::post(
      state_->context,
      [state = state_, to, timeout, check = std::move(check),
       done = std::move(done)] { state->connect(to, timeout, check, done); });
}

} // namespace stoker
