// The sending side of a connection of a FrameServer.

#include <fcntl.h>
#include <sys/sendfile.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/container/static_vector.hpp>

#include "gateway/socket_connection.hpp"

namespace stoker {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// How long a closed connection may take to send what it was given before.
constexpr auto close_timeout = std::chrono::seconds{5};

/// How many frames are given to the kernel at once.
constexpr std::size_t frames_at_once_max = 64;

/// How much of files one connection is given before others have their turn.
constexpr std::uint64_t written_at_once_max = std::uint64_t{4} << 20U;

} // namespace

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
    hold(&HeldBytes::unread, x.weight());
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
      release(&HeldBytes::unread, output_.front().weight());
      output_.pop_front();
      file_.reset();
    }
  }
  if (is_open_ && held_.unread > server_->limits.unread_bytes_max)
    end("it does not read what it is sent");
  server_->limit_unread(share_.get());
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
  // A FIFO or device must not block the reader.
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

} // namespace stoker
