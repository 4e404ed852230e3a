#include "jobs/file_lines.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "process/unique_fd.hpp"

namespace stoker::jobs {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} * 1024;

/// Reads a split from its begin to its end.
class LineReader {
public:
  LineReader(const InputSplit& split, const TaskRun& task)
      : split_(split), task_(task), buffer_(buffer_bytes) {
  }

  Status run(Sink<std::string_view>& to) {
    if (auto opened = open(); !opened)
      return opened;
    // A line that begins at `begin` has its newline before it.
    skips_ = split_.begin > 0;
    base_ = skips_ ? split_.begin - 1 : 0;
    while (begin_of_line() < split_.end || skips_) {
      const auto* newline = find_newline();
      if (newline == nullptr) {
        auto more = fill();
        if (!more)
          return std::move(more).error();
        if (*more)
          continue;
        if (!skips_ && filled_ > at_)
          push(to, filled_);
        return {};
      }
      auto end = static_cast<std::size_t>(newline - buffer_.data());
      if (!skips_ && !push(to, end))
        return {};
      skips_ = false;
      at_ = scanned_ = end + 1;
    }
    return {};
  }

private:
  [[nodiscard]] Error failed(const std::string& why) const {
    return {Errc::unreadable, "cannot read " + split_.path + ": " + why};
  }

  Status open() {
    file_ = process::UniqueFd{
        ::open(split_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    if (!file_)
      return failed(std::strerror(errno));
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0)
      return failed(std::strerror(errno));
    if (!S_ISREG(status.st_mode))
      return failed("it is no regular file");
    if (status.st_size < split_.end)
      return failed("it has " + std::to_string(status.st_size) + " bytes, and "
                    + std::to_string(split_.end) + " were expected");
    return {};
  }

  [[nodiscard]] std::int64_t begin_of_line() const noexcept {
    return base_ + static_cast<std::int64_t>(at_);
  }

  const char* find_newline() {
    const auto* result = static_cast<const char*>(
        std::memchr(buffer_.data() + scanned_, '\n', filled_ - scanned_));
    if (result == nullptr)
      scanned_ = filled_;
    return result;
  }

  bool push(Sink<std::string_view>& to, std::size_t end) {
    std::string_view line{buffer_.data() + at_, end - at_};
    return !task_.ending() && to.push(line);
  }

  /// Reads on. False: that was all of the file.
  Result<bool> fill() {
    if (auto status = task_.go_on(); !status)
      return std::move(status).error();
    if (skips_)
      at_ = filled_;
    // What has begun goes to the front.
    std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
    base_ += static_cast<std::int64_t>(at_);
    filled_ -= at_;
    scanned_ -= at_;
    at_ = 0;
    if (filled_ == buffer_.size())
      buffer_.resize(buffer_.size() * 2);
    for (;;) {
      auto n = ::pread(file_.get(), buffer_.data() + filled_,
                       buffer_.size() - filled_,
                       base_ + static_cast<std::int64_t>(filled_));
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return failed(std::strerror(errno));
      filled_ += static_cast<std::size_t>(n);
      return n > 0;
    }
  }

  const InputSplit& split_;
  const TaskRun& task_;
  process::UniqueFd file_;
  std::vector<char> buffer_;

  /// Where in the file the buffer begins.
  std::int64_t base_ = 0;

  /// In the buffer: the line that comes next, what has no newline, and the end.
  std::size_t at_ = 0;
  std::size_t scanned_ = 0;
  std::size_t filled_ = 0;

  /// The line that comes next began before the split.
  bool skips_ = false;
};

} // namespace

Status read_lines(const InputSplit& split, const TaskRun& task,
                  Sink<std::string_view>& to) {
  if (split.begin >= split.end)
    return {};
  return LineReader{split, task}.run(to);
}

} // namespace stoker::jobs
