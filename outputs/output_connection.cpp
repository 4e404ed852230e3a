#include "outputs/output_connection.hpp"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "network/post_to.hpp"
#include "outputs/output_protocol.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// So much is written before other connections of the thread have their turn.
constexpr std::size_t bytes_per_turn = std::size_t{1} << 20;

} // namespace

OutputConnection::OutputConnection(std::shared_ptr<OutputServing> serving,
                                   asio::ip::tcp::socket socket)
    : serving_(std::move(serving)), socket_(std::move(socket)),
      tls_(serving_->tls, socket_.native_handle(), TlsSocket::Side::server),
      timer_(socket_.get_executor()) {
}

OutputConnection::~OutputConnection() {
  if (place_)
    serving_->connections.remove(*place_);
}

void OutputConnection::begin() {
  place_ = serving_->connections.add([weak = weak_from_this()] {
    auto x = weak.lock();
    if (!x)
      return;
    auto executor = x->socket_.get_executor();
    // The table is locked: the last owner must not be here.
    post_to(executor, [x = std::move(x)] { x->close(); });
  });
  expect_within(serving_->limits.handshake_timeout);
  watch();
  shake_hands();
}

void OutputConnection::shake_hands() {
  auto tried = tls_.shake_hands();
  if (tried.outcome == TlsSocket::Outcome::failed)
    return refuse(tls_.problem());
  if (tried.outcome != TlsSocket::Outcome::done)
    return wait(tried.outcome, &OutputConnection::shake_hands);
  auto app = tls_.proven_application();
  if (!app)
    return refuse("it has not proven which application it is of");
  app_ = *std::move(app);
  if (!serving_->connections.prove(*place_, app_))
    return refuse("application " + app_.value + " has too many connections");
  expect_within(serving_->limits.idle_timeout);
  read_header();
}

bool OutputConnection::read_until(std::size_t bytes, Step step) {
  while (request_.size() < bytes) {
    auto had = request_.size();
    request_.resize(bytes);
    auto tried = tls_.read(std::span{request_}.subspan(had));
    request_.resize(had + tried.bytes);
    if (tried.outcome == TlsSocket::Outcome::ended
        || tried.outcome == TlsSocket::Outcome::failed) {
      close();
      return false;
    }
    if (tried.outcome != TlsSocket::Outcome::done) {
      wait(tried.outcome, step);
      return false;
    }
  }
  return true;
}

void OutputConnection::read_header() {
  if (!read_until(request_header_bytes, &OutputConnection::read_header))
    return;
  auto bytes = parse_request_header(request_);
  if (!bytes)
    return refuse(bytes.error().message);
  serving_->connections.set_busy(*place_);
  read_entries();
}

void OutputConnection::read_entries() {
  auto bytes = parse_request_header(
      std::span<const char>{request_}.first(request_header_bytes));
  assert(bytes);
  if (!read_until(request_header_bytes + *bytes,
                  &OutputConnection::read_entries))
    return;
  auto request = parse_request_entries(
      std::span<const char>{request_}.subspan(request_header_bytes));
  if (!request)
    return refuse(request.error().message);
  auto directory = serving_->directory_of(app_);
  if (!directory)
    return close();
  stream_.emplace(app_, *std::move(directory), serving_->indexes,
                  *std::move(request));
  buffer_.resize(serving_->limits.buffer_bytes);
  expect_within(serving_->limits.idle_timeout);
  answer();
}

void OutputConnection::answer() {
  std::size_t written = 0;
  while (written < bytes_per_turn) {
    if (buffer_at_ == buffer_end_) {
      auto filled = stream_->fill(buffer_);
      if (!filled)
        return refuse(filled.error().message);
      buffer_at_ = 0;
      buffer_end_ = *filled;
      if (*filled == 0)
        return finish_answer();
    }
    auto tried = tls_.write(
        std::span{buffer_}.subspan(buffer_at_, buffer_end_ - buffer_at_));
    if (tried.bytes > 0)
      expect_within(serving_->limits.idle_timeout);
    if (tried.outcome == TlsSocket::Outcome::failed
        || tried.outcome == TlsSocket::Outcome::ended)
      return close();
    if (tried.outcome != TlsSocket::Outcome::done)
      return wait(tried.outcome, &OutputConnection::answer);
    buffer_at_ += tried.bytes;
    written += tried.bytes;
  }
  post_to(socket_.get_executor(), [x = shared_from_this()] {
    if (x->socket_.is_open())
      x->answer();
  });
}

void OutputConnection::finish_answer() {
  auto tried = tls_.flush();
  if (tried.outcome == TlsSocket::Outcome::failed)
    return close();
  if (tried.outcome != TlsSocket::Outcome::done)
    return wait(tried.outcome, &OutputConnection::finish_answer);
  stream_.reset();
  request_ = std::string{};
  buffer_ = std::vector<char>{};
  buffer_at_ = buffer_end_ = 0;
  serving_->connections.set_idle(*place_);
  expect_within(serving_->limits.idle_timeout);
  // What is asked next may be there already; others have their turn before.
  post_to(socket_.get_executor(), [x = shared_from_this()] {
    if (x->socket_.is_open())
      x->read_header();
  });
}

void OutputConnection::wait(TlsSocket::Outcome what, Step step) {
  auto type = what == TlsSocket::Outcome::wants_write
                  ? asio::ip::tcp::socket::wait_write
                  : asio::ip::tcp::socket::wait_read;
  socket_.async_wait(type, [x = shared_from_this(), step](error_code error) {
    if (error || !x->socket_.is_open())
      return x->close();
    ((*x).*step)();
  });
}

void OutputConnection::expect_within(std::chrono::milliseconds time) {
  deadline_ = Clock::now() + time;
}

void OutputConnection::watch() {
  // The deadline moves often, and the timer only when it is over. It may come
  // nearer once, after a handshake.
  auto often = std::min(serving_->limits.handshake_timeout,
                        serving_->limits.idle_timeout);
  timer_.expires_at(std::min(deadline_, Clock::now() + often));
  timer_.async_wait([weak = weak_from_this()](error_code error) {
    auto x = weak.lock();
    if (error || !x)
      return;
    if (Clock::now() >= x->deadline_)
      return x->close();
    x->watch();
  });
}

void OutputConnection::refuse(const std::string& why) {
  // Whom we closed ourselves is no news.
  if (socket_.is_open()) {
    error_code error;
    auto peer = socket_.remote_endpoint(error);
    serving_->log.warn(
        "ended the connection from "
        + (error ? std::string{"somebody"} : peer.address().to_string()) + ": "
        + why);
  }
  close();
}

void OutputConnection::close() {
  timer_.cancel();
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

} // namespace stoker
