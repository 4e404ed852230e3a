#include "gateway/socket_connection.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

#include "gateway/http_hint.hpp"
#include "network/connection_owner.hpp"
#include "network/dead_machines.hpp"

namespace stoker {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t length_bytes = 8;

/// What the type of a frame takes besides its length.
constexpr std::uint64_t shortest_frame = length_bytes + 1;

std::uint64_t length_of(std::string_view input) {
  std::uint64_t result = 0;
  for (unsigned char c : input.substr(0, length_bytes))
    result = result << 8U | c;
  return result;
}

SocketAddress address_of(const tcp::endpoint& x) {
  return {x.address().to_string(), x.port()};
}

} // namespace

SocketConnection::SocketConnection(std::shared_ptr<FrameServerState> server,
                                   tcp::socket socket)
    : server_(std::move(server)), socket_(std::move(socket)) {
  error_code ignored;
  here_ = address_of(socket_.local_endpoint(ignored));
  peer_ = address_of(socket_.remote_endpoint(ignored));
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay{true}, ignored);
  notice_dead_machine(socket_);
}

SocketConnection::~SocketConnection() {
  for (auto bytes : ahead_)
    server_->release_frames(bytes, share_.get());
}

void SocketConnection::send(std::string frame) {
  give({std::move(frame), {}});
}

void SocketConnection::send_with_file(std::string head, FileSegment tail) {
  give({std::move(head), std::move(tail)});
}

void SocketConnection::give(Output x) {
  {
    std::lock_guard lock{mutex_};
    given_.push_back(std::move(x));
    if (std::exchange(flush_is_posted_, true))
      return;
  }
  post([this] { take_given(); });
}

void SocketConnection::processed() {
  std::size_t bytes = 0;
  auto is_time = false;
  {
    std::lock_guard lock{mutex_};
    if (ahead_.empty())
      return;
    bytes = ahead_.front();
    ahead_.pop_front();
    is_time = is_behind_ && ahead_.size() <= server_->limits.ahead_max / 2;
    if (is_time)
      is_behind_ = false;
  }
  server_->release_frames(bytes, share_.get());
  if (is_time)
    post([this] { read_on(); });
}

void SocketConnection::accept() {
  post([this] {
    if (!is_open_ || is_accepted_)
      return;
    become_accepted();
    if (deadline_ && !is_frame_due_ && why_closing_.empty())
      await_nothing();
    // What was too much of a newcomer may be little now.
    read_on();
  });
}

void SocketConnection::become_accepted() {
  if (is_newcomer()) {
    server_->newcomers.erase(this);
    server_->held_by_newcomers.incomplete -= held_.incomplete;
    server_->held_by_newcomers.unread -= held_.unread;
    --share_->newcomers;
  }
  is_accepted_ = true;
}

void SocketConnection::close(std::string why) {
  post([this, why = std::move(why)] { close_when_sent(why); });
}

void SocketConnection::find_owner() {
  owner_ = owner_of_peer(here_, peer_);
}

void SocketConnection::check_first(FrameServer::CheckOwner check) {
  check_ = std::move(check);
}

void SocketConnection::enter(std::shared_ptr<PeerShare> share) {
  share_ = std::move(share);
  server_->connections.insert(shared_from_this());
  if (!share_)
    return;
  server_->newcomers.insert(this);
  ++share_->connections;
  ++share_->newcomers;
}

void SocketConnection::leave() {
  auto self = shared_from_this();
  server_->hungry.erase(self);
  server_->connections.erase(self);
  if (!share_)
    return;
  --share_->connections;
  if (server_->newcomers.erase(this) > 0)
    --share_->newcomers;
}

void SocketConnection::begin() {
  is_frame_due_ = true;
  await_by(Clock::now() + server_->limits.frame_timeout);
  wait_for_input();
}

void SocketConnection::end(const std::string& why) {
  if (!std::exchange(is_open_, false))
    return;
  auto self = shared_from_this();
  error_code ignored;
  socket_.close(ignored);
  await_nothing();
  forget_input(input_.size());
  output_.clear();
  release(&HeldBytes::unread, held_.unread);
  leave();
  server_->listener.closed(self, why);
}

void SocketConnection::overdue() {
  auto self = shared_from_this();
  if (!why_closing_.empty())
    return end(why_closing_);
  // It cannot say anything: nothing of it is read.
  if (!is_waiting_)
    return await_speech();
  end(is_frame_due_ ? "its frame did not come in time"
                    : "it has been silent for too long");
}

void SocketConnection::abandon() {
  is_open_ = false;
  error_code ignored;
  socket_.close(ignored);
}

// -- input --------------------------------------------------------------------

void SocketConnection::wait_for_input() {
  if (!is_open_ || is_waiting_ || !why_closing_.empty())
    return;
  is_waiting_ = true;
  socket_.async_wait(tcp::socket::wait_read,
                     [self = shared_from_this()](const error_code& error) {
                       self->is_waiting_ = false;
                       if (!error)
                         self->guarded([&] { self->read(); });
                     });
}

void SocketConnection::read() {
  if (!is_open_ || !why_closing_.empty())
    return;
  if (auto check = std::exchange(check_, nullptr)) {
    find_owner();
    if (auto right = check(owner_); !right)
      return end(right.error().message);
  }
  error_code error;
  auto& buffer = server_->buffer;
  auto size
      = is_newcomer()
            ? std::min(server_->limits.newcomers.frame_bytes_max, buffer.size())
            : buffer.size();
  auto n = socket_.read_some(asio::buffer(buffer.data(), size), error);
  if (error == asio::error::would_block || error == asio::error::try_again)
    return wait_for_input();
  if (error == asio::error::eof)
    return end("it was closed by the peer");
  if (error)
    return end(error.message());
  take_input({buffer.data(), n});
  server_->limit_incomplete(share_.get());
  if (is_open_ && may_take())
    wait_for_input();
}

void SocketConnection::read_on() {
  if (!is_open_ || !why_closing_.empty() || !may_take())
    return;
  // Whole frames may have been left, also if there was room again by the time the connection
  // began to wait for more.
  if (!input_.empty())
    take_input({});
  if (is_open_ && may_take())
    wait_for_input();
}

bool SocketConnection::may_take() {
  const auto& limits = server_->limits;
  {
    std::lock_guard lock{mutex_};
    auto max = is_newcomer() ? limits.newcomers.ahead_max : limits.ahead_max;
    is_behind_ = ahead_.size() >= max;
    if (is_behind_)
      return false;
  }
  if (server_->has_room_for_frames(share_.get()))
    return true;
  server_->hungry.insert(shared_from_this());
  server_->is_any_hungry = true;
  // Another thread that has made room meanwhile may have found none hungry.
  if (!server_->has_room_for_frames(share_.get()))
    return false;
  server_->hungry.erase(shared_from_this());
  return true;
}

void SocketConnection::take_input(std::string_view bytes) {
  std::size_t taken = 0;
  if (input_.empty()) {
    // Most frames come at once: they are not copied.
    taken = take_frames(bytes);
    if (!is_open_)
      return;
    keep_input(bytes.substr(taken));
  } else {
    keep_input(bytes);
    taken = take_frames(input_);
    if (!is_open_)
      return;
    forget_input(taken);
  }
  await_input(taken > 0);
}

std::size_t SocketConnection::take_frames(std::string_view bytes) {
  const auto& limits = server_->limits;
  std::size_t taken = 0;
  while (is_open_ && bytes.size() - taken >= length_bytes) {
    auto length = length_of(bytes.substr(taken));
    if (is_newcomer() && length > limits.newcomers.frame_bytes_max
        && length <= limits.frame_bytes_max && server_->listener.knows) {
      auto begin = bytes.substr(taken, limits.newcomers.frame_bytes_max);
      if (begin.size() < limits.newcomers.frame_bytes_max)
        break;
      if (server_->listener.knows(*this, begin))
        become_accepted();
    }
    auto max = is_newcomer() ? limits.newcomers.frame_bytes_max
                             : limits.frame_bytes_max;
    if (length < shortest_frame || length > max) {
      if (answer_http(bytes.substr(taken)))
        break;
      end("a frame has a length of " + std::to_string(length)
          + ", which is not taken");
      break;
    }
    if (bytes.size() - taken < length || !may_take())
      break;
    hand_over(bytes.substr(taken, length));
    taken += length;
  }
  return taken;
}

bool SocketConnection::answer_http(std::string_view bytes) {
  const auto& answer = server_->listener.answer_http;
  if (!answer || !begins_http(bytes))
    return false;
  auto line = bytes.substr(0, http_line_max);
  if (line.size() < http_line_max && line.find('\n') == std::string_view::npos)
    return true;
  if (auto text = answer(*this, line); !text.empty())
    give({std::move(text), {}});
  close_when_sent("it speaks HTTP");
  return true;
}

void SocketConnection::hand_over(std::string_view frame) {
  {
    std::lock_guard lock{mutex_};
    ahead_.push_back(frame.size());
  }
  server_->queued_bytes += frame.size();
  if (share_)
    share_->queued_bytes += frame.size();
  server_->listener.received(shared_from_this(), frame);
}

void SocketConnection::keep_input(std::string_view bytes) {
  input_ += bytes;
  hold(&HeldBytes::incomplete, bytes.size());
}

void SocketConnection::forget_input(std::size_t count) {
  release(&HeldBytes::incomplete, count);
  input_.erase(0, count);
  if (input_.empty())
    input_.shrink_to_fit();
}

void SocketConnection::hold(std::size_t HeldBytes::*kind, std::size_t bytes) {
  held_.*kind += bytes;
  server_->held.*kind += bytes;
  if (is_newcomer())
    server_->held_by_newcomers.*kind += bytes;
  if (share_)
    share_->held.*kind += bytes;
}

void SocketConnection::release(std::size_t HeldBytes::*kind,
                               std::size_t bytes) {
  held_.*kind -= bytes;
  server_->held.*kind -= bytes;
  if (is_newcomer())
    server_->held_by_newcomers.*kind -= bytes;
  if (share_)
    share_->held.*kind -= bytes;
}

// -- deadlines ----------------------------------------------------------------

void SocketConnection::await_by(Clock::time_point when) {
  await_nothing();
  deadline_ = when;
  server_->deadlines.emplace(when, this);
}

void SocketConnection::await_nothing() {
  if (deadline_)
    server_->deadlines.erase({*deadline_, this});
  deadline_.reset();
}

void SocketConnection::await_input(bool is_new) {
  if (input_.empty()) {
    is_frame_due_ = false;
    return await_speech();
  }
  if (!is_new && is_frame_due_)
    return;
  is_frame_due_ = true;
  await_by(Clock::now() + server_->limits.frame_timeout);
}

void SocketConnection::await_speech() {
  if (is_accepted_ && !is_frame_due_)
    return await_nothing();
  const auto& limits = server_->limits;
  await_by(Clock::now()
           + (is_frame_due_ ? limits.frame_timeout : limits.silence_max));
}

} // namespace stoker
