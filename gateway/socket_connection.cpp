#include "gateway/socket_connection.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/container/static_vector.hpp>

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

/// How long a closed connection may take to send what it was given before.
constexpr auto close_timeout = std::chrono::seconds{5};

/// How many frames are given to the kernel at once.
constexpr std::size_t frames_at_once_max = 64;

/// How much of files one connection is given before others have their turn.
constexpr std::uint64_t written_at_once_max = std::uint64_t{4} << 20U;

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
    if (is_newcomer()) {
      server_->newcomers.erase(this);
      server_->newcomer_bytes -= input_.size();
      --share_->newcomers;
    }
    is_accepted_ = true;
    if (deadline_ && !is_frame_due_ && why_closing_.empty())
      await_nothing();
    // What was too much of a newcomer may be little now.
    read_on();
  });
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
  if (!is_open_ || is_waiting_ || !why_closing_.empty() || !may_take())
    return;
  // Whole frames may have been left.
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
  return false;
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
  server_->incomplete_bytes += bytes.size();
  if (is_newcomer())
    server_->newcomer_bytes += bytes.size();
  if (share_)
    share_->incomplete_bytes += bytes.size();
}

void SocketConnection::forget_input(std::size_t count) {
  server_->incomplete_bytes -= count;
  if (is_newcomer())
    server_->newcomer_bytes -= count;
  if (share_)
    share_->incomplete_bytes -= count;
  input_.erase(0, count);
  if (input_.empty())
    input_.shrink_to_fit();
}

// -- output -------------------------------------------------------------------

void SocketConnection::take_given() {
  std::vector<Output> given;
  {
    std::lock_guard lock{mutex_};
    given.swap(given_);
    flush_is_posted_ = false;
  }
  if (!is_open_)
    return;
  for (auto& x : given) {
    unread_bytes_ += x.weight();
    output_.push_back(std::move(x));
  }
  write();
}

void SocketConnection::write() {
  std::uint64_t written_at_once = 0;
  while (is_open_ && !is_writing_ && !output_.empty()) {
    // Others wait, too.
    if (written_at_once >= written_at_once_max)
      return post([this] { write(); });
    auto n = write_some();
    if (!n)
      break;
    written_at_once += *n;
    written_ += *n;
    if (!is_frame_due_ && deadline_ && why_closing_.empty())
      await_speech();
    while (!output_.empty() && written_ >= output_.front().size()) {
      written_ -= output_.front().size();
      unread_bytes_ -= output_.front().weight();
      output_.pop_front();
      file_.reset();
    }
  }
  if (is_open_ && unread_bytes_ > server_->limits.unread_bytes_max)
    end("it does not read what it is sent");
  if (output_.empty() && !why_closing_.empty())
    end(why_closing_);
}

std::optional<std::uint64_t> SocketConnection::write_some() {
  const auto& first = output_.front();
  if (written_ >= first.bytes.size())
    return write_some_of_file(first.file);
  // As many as there are, up to one with a file: each call costs more than what it sends.
  boost::container::static_vector<asio::const_buffer, frames_at_once_max>
      frames;
  for (const auto& x : output_) {
    frames.emplace_back(x.bytes.data(), x.bytes.size());
    if (x.file.length > 0 || frames.size() == frames_at_once_max)
      break;
  }
  frames.front() += static_cast<std::size_t>(written_);
  error_code error;
  auto n = socket_.write_some(frames, error);
  if (!error)
    return n;
  if (error == asio::error::would_block || error == asio::error::try_again)
    wait_for_room();
  else
    end(error.message());
  return std::nullopt;
}

std::optional<std::uint64_t>
SocketConnection::write_some_of_file(const FileSegment& file) {
  auto done = written_ - output_.front().bytes.size();
  auto left = file.length - done;
  if (left == 0)
    return 0;
  // What is no file must not keep others waiting.
  if (!file_)
    file_ = process::UniqueFd{::open(
        file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!file_) {
    end("a file that it was sent cannot be opened: "
        + std::generic_category().message(errno));
    return std::nullopt;
  }
  auto offset = static_cast<off_t>(file.offset + done);
  auto n = ::sendfile(socket_.native_handle(), file_.get(), &offset,
                      static_cast<std::size_t>(
                          std::min<std::uint64_t>(left, written_at_once_max)));
  if (n > 0)
    return static_cast<std::uint64_t>(n);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    wait_for_room();
  else if (n < 0 && errno == EINTR)
    return 0;
  else
    end(n == 0 ? "a file that it was sent has become shorter"
               : "a file that it was sent cannot be read: "
                     + std::generic_category().message(errno));
  return std::nullopt;
}

void SocketConnection::wait_for_room() {
  is_writing_ = true;
  socket_.async_wait(tcp::socket::wait_write,
                     [self = shared_from_this()](const error_code& error) {
                       self->is_writing_ = false;
                       if (!error)
                         self->guarded([&] { self->write(); });
                     });
}

void SocketConnection::close_when_sent(const std::string& why) {
  if (!is_open_)
    return;
  why_closing_ = why.empty() ? "it was closed" : why;
  await_by(Clock::now() + close_timeout);
  take_given();
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
