#include "tools/stoker/output_file.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <limits>
#include <utility>

#include "tools/stoker/command_error.hpp"
#include "tools/stoker/exit_codes.hpp"

namespace stoker {

namespace {

constexpr int look_again_ms = 100;

/// Bytes that a stream collects before they are written.
constexpr std::size_t buffer_bytes = 64 * 1024;

/// A pipe that has room takes so much without making the writer wait; a file
/// takes all.
std::size_t piece_of(int descriptor) {
  struct stat status {};
  auto is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? std::numeric_limits<std::size_t>::max() : PIPE_BUF;
}

} // namespace

OutputFile::OutputFile(int descriptor, WhileBlocked while_blocked)
    : descriptor_(descriptor), while_blocked_(std::move(while_blocked)),
      piece_(piece_of(descriptor)) {
}

bool OutputFile::write(std::string_view data) {
  while (error_ == 0 && !data.empty()) {
    if (!wait_for_reader())
      return false;
    auto n = ::write(descriptor_, data.data(), std::min(data.size(), piece_));
    if (n >= 0)
      data.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR && errno != EAGAIN)
      error_ = errno;
  }
  return error_ == 0;
}

bool OutputFile::wait_for_reader() {
  pollfd fd{descriptor_, POLLOUT, 0};
  while (::poll(&fd, 1, look_again_ms) == 0)
    if (while_blocked_ && !while_blocked_())
      return false;
  return true;
}

bool OutputFile::is_closed() const noexcept {
  return error_ == EPIPE;
}

std::string OutputFile::error_text() const {
  if (is_closed())
    return "its output was closed";
  return std::string{"cannot write to standard "}
         + (descriptor_ == STDERR_FILENO ? "error" : "output") + ": "
         + std::strerror(error_);
}

void require_written(const OutputFile& file) {
  if (file.is_closed())
    throw CommandError{exit_unread, {}};
  if (file.error() != 0)
    throw CommandError{exit_failure, file.error_text()};
}

int OutputFileBuffer::overflow(int c) {
  if (c == traits_type::eof())
    return 0;
  auto x = static_cast<char>(c);
  return xsputn(&x, 1) == 1 ? c : traits_type::eof();
}

std::streamsize OutputFileBuffer::xsputn(const char* data,
                                         std::streamsize size) {
  pending_.append(data, static_cast<std::size_t>(size));
  if (pending_.size() >= buffer_bytes && sync() != 0)
    return 0;
  return size;
}

int OutputFileBuffer::sync() {
  return file_.write(std::exchange(pending_, {})) ? 0 : -1;
}

} // namespace stoker
