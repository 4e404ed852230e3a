#include "executor/file_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

namespace stoker::executor {

namespace {

constexpr std::size_t look_bytes = std::size_t{64} * 1024;

} // namespace

FileInput::FileInput(std::vector<FileSplit> splits)
    : splits_(std::move(splits)) {
}

Result<Fed> FileInput::feed(int pipe) {
  Fed result;
  auto pause = [&](Feeding state) {
    result.state = state;
    return result;
  };
  while (result.bytes < feed_bytes_max) {
    Status status;
    if (!file_) {
      if (index_ == splits_.size())
        return pause(Feeding::finished);
      status = open_split();
    } else if (position_ < ready_) {
      auto fed = move(pipe);
      if (!fed)
        return fed;
      result.bytes += fed->bytes;
      if (fed->state != Feeding::finished)
        return pause(fed->state);
    } else if (done_) {
      status = close_split();
    } else {
      status = look_on();
    }
    if (!status)
      return std::move(status).error();
  }
  return pause(Feeding::pipe_full);
}

Status FileInput::open_split() {
  file_ = process::UniqueFd{::open(split().path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file_)
    return failed(std::strerror(errno));
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0)
    return failed(std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    return failed("it is no regular file");
  std::int64_t size = status.st_size;
  auto wanted = split().end;
  if (wanted != FileSplit::end_of_file && size < wanted)
    return failed("it has " + std::to_string(size) + " bytes, and "
                  + std::to_string(wanted) + " were expected");
  auto end = std::min(wanted, size);
  done_ = false;
  if (auto found = find_first_line(split().begin, end); !found)
    return found;
  if (done_)
    return {};
  // The last line ends with the first newline at or behind the last byte.
  ready_ = end == size ? size : end - 1;
  done_ = end == size;
  return {};
}

Status FileInput::find_first_line(std::int64_t begin, std::int64_t end) {
  position_ = ready_ = 0;
  done_ = begin >= end;
  if (done_ || begin <= 0)
    return {};
  // A line that begins at `end` belongs to the next split.
  for (auto at = begin - 1; at < end - 1;) {
    auto n = read_at(
        at, std::min(look_bytes, static_cast<std::size_t>(end - 1 - at)));
    if (!n)
      return std::move(n).error();
    if (*n == 0)
      return failed("it was shortened while it was read");
    if (const auto* newline = std::memchr(buffer_.data(), '\n', *n)) {
      position_ = at + (static_cast<const char*>(newline) - buffer_.data()) + 1;
      return {};
    }
    at += static_cast<std::int64_t>(*n);
  }
  done_ = true;
  return {};
}

Status FileInput::look_on() {
  auto n = read_at(ready_, look_bytes);
  if (!n)
    return std::move(n).error();
  const auto* newline = std::memchr(buffer_.data(), '\n', *n);
  done_ = newline != nullptr || *n == 0;
  ready_ += newline ? static_cast<const char*>(newline) - buffer_.data() + 1
                    : static_cast<std::int64_t>(*n);
  return {};
}

Status FileInput::close_split() {
  if (position_ > 0) {
    auto n = read_at(position_ - 1, 1);
    if (!n)
      return std::move(n).error();
    line_is_open_ = *n == 1 && buffer_.front() != '\n';
  }
  file_.reset();
  ++index_;
  return {};
}

Result<Fed> FileInput::move(int pipe) {
  if (line_is_open_) {
    auto fed = write_to_pipe(pipe, "\n");
    if (!fed || fed->state != Feeding::finished)
      return fed;
    line_is_open_ = false;
    return fed;
  }
  auto bytes
      = std::min(feed_bytes_max, static_cast<std::size_t>(ready_ - position_));
  if (copies_)
    return move_by_copying(pipe, bytes);
  loff_t offset = position_;
  auto n = ::splice(file_.get(), &offset, pipe, nullptr, bytes,
                    SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  if (n > 0) {
    position_ += n;
    return Fed{Feeding::finished, static_cast<std::uint64_t>(n)};
  }
  if (n == 0)
    return failed("it was shortened while it was read");
  switch (errno) {
  case EAGAIN:
    return Fed{Feeding::pipe_full, 0};
  case EPIPE:
    return Fed{Feeding::closed, 0};
  case EINTR:
    return Fed{Feeding::finished, 0};
  case EINVAL:
    copies_ = true;
    return move_by_copying(pipe, bytes);
  default:
    return failed(std::strerror(errno));
  }
}

Result<Fed> FileInput::move_by_copying(int pipe, std::size_t bytes) {
  auto n = read_at(position_, std::min(bytes, look_bytes));
  if (!n)
    return std::move(n).error();
  if (*n == 0)
    return failed("it was shortened while it was read");
  auto fed = write_to_pipe(pipe, {buffer_.data(), *n});
  if (fed)
    position_ += static_cast<std::int64_t>(fed->bytes);
  return fed;
}

Result<std::size_t> FileInput::read_at(std::int64_t offset, std::size_t bytes) {
  assert(bytes <= look_bytes);
  buffer_.resize(look_bytes);
  for (;;) {
    auto n = ::pread(file_.get(), buffer_.data(), bytes, offset);
    if (n >= 0)
      return static_cast<std::size_t>(n);
    if (errno != EINTR)
      return failed(std::strerror(errno));
  }
}

Error FileInput::failed(const std::string& why) const {
  return {Errc::unreadable, "cannot read " + split().path + ": " + why};
}

const FileSplit& FileInput::split() const {
  return splits_[index_];
}

} // namespace stoker::executor
