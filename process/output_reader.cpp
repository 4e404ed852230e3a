#include "process/output_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "process/directory.hpp"
#include "process/output_files.hpp"
#include "process/unique_fd.hpp"

namespace stoker::process {

namespace {

/// Whether what failed may work later: nothing is wrong with the file.
bool is_shortage(int error) {
  switch (error) {
  case EMFILE:
  case ENFILE:
  case ENOMEM:
  case ENOBUFS:
  case EAGAIN:
  case EINTR:
    return true;
  default:
    return false;
  }
}

/// Reads `count` bytes at `position`, fewer at the end of the file. Fails with `errno`.
std::variant<std::string, int> read_at(int fd, std::int64_t position,
                                       std::size_t count) {
  std::string result(count, '\0');
  std::size_t used = 0;
  while (used < count) {
    auto n = ::pread(fd, result.data() + used, count - used,
                     position + static_cast<std::int64_t>(used));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno;
    if (n == 0)
      break;
    used += static_cast<std::size_t>(n);
  }
  result.resize(used);
  return result;
}

/// An open file of a log.
struct Segment {
  UniqueFd fd;
  std::int64_t start = 0;
  std::int64_t end = 0;
  /// Bytes behind `end`, where the next file begins.
  std::int64_t beside = 0;
};

/// Opens all files of a log. Open files stay readable, so what happens next
/// cannot disturb. Fails with `errno`: ENOENT if one was rotated away in between.
std::variant<std::vector<Segment>, int> open_segments(int directory,
                                                      const std::string& log) {
  auto listed = list_log_files(directory, log);
  if (auto* error = std::get_if<int>(&listed))
    return *error;
  std::vector<Segment> result;
  for (const auto& file : std::get<std::vector<LogFile>>(listed)) {
    Segment segment;
    // What a program has put in the place of a file must not block.
    segment.fd
        = UniqueFd{::openat(directory, file.name.c_str(),
                            O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    struct stat status {};
    if (!segment.fd || ::fstat(segment.fd.get(), &status) != 0)
      return errno;
    if (!S_ISREG(status.st_mode))
      continue;
    segment.start = file.start;
    segment.end = file.start
                  + std::min<std::int64_t>(status.st_size, log_file_bytes_max);
    if (!result.empty()) {
      auto& last = result.back();
      last.beside = std::max(last.end - segment.start, std::int64_t{0});
      last.end -= last.beside;
    }
    result.push_back(std::move(segment));
  }
  return result;
}

/// Fails with `errno`.
std::variant<LogPart, int> read_from(const std::vector<Segment>& segments,
                                     std::int64_t offset, std::size_t limit) {
  LogPart result;
  auto first = segments.front().start;
  result.end = segments.back().end;
  if (offset < 0)
    offset = offset < -result.end ? 0 : result.end + offset;
  result.offset = std::clamp(offset, first, result.end);
  auto position = result.offset;
  for (const auto& segment : segments) {
    if (position >= segment.end || result.data.size() == limit)
      continue;
    if (position < segment.start) {
      // Somebody deleted a file in the middle. What is returned has no gaps.
      if (!result.data.empty())
        break;
      result.offset = position = segment.start;
    }
    auto there = static_cast<std::size_t>(segment.end - position);
    auto count = std::min(there, limit - result.data.size());
    auto read = read_at(segment.fd.get(), position - segment.start, count);
    if (auto* error = std::get_if<int>(&read)) {
      // What stands before it is told first.
      if (result.data.empty())
        return *error;
      break;
    }
    const auto& data = std::get<std::string>(read);
    position += static_cast<std::int64_t>(data.size());
    result.data += data;
    if (data.size() < count)
      break;
  }
  for (const auto& segment : segments)
    if (segment.end >= std::min(offset, result.offset)
        && segment.end < position)
      result.beside += segment.beside;
  return result;
}

/// Where a log ends, by the link to its newest file.
std::optional<std::int64_t> end_of(int directory, const char* link) {
  std::array<char, 64> name{};
  auto size = ::readlinkat(directory, link, name.data(), name.size());
  struct stat status {};
  if (size < 0 || ::fstatat(directory, link, &status, 0) != 0)
    return std::nullopt;
  std::string_view text{name.data(), static_cast<std::size_t>(size)};
  text.remove_prefix(text.rfind('.') + 1);
  std::int64_t start = 0;
  auto [rest, error]
      = std::from_chars(text.data(), text.data() + text.size(), start);
  if (error != std::errc{} || start < 0 || start > log_start_max)
    return std::nullopt;
  return start + std::min<std::int64_t>(status.st_size, log_file_bytes_max);
}

} // namespace

std::optional<OutputStamp> stamp_of(const std::string& directory) {
  UniqueFd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd)
    return std::nullopt;
  OutputStamp result;
  auto out = end_of(fd.get(), "stdout");
  auto err = end_of(fd.get(), "stderr");
  struct stat status {};
  if (!out || !err || ::fstatat(fd.get(), "state.json", &status, 0) != 0)
    return std::nullopt;
  result.out_end = *out;
  result.err_end = *err;
  result.state = {static_cast<std::int64_t>(status.st_ino),
                  status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  return result;
}

Result<State> read_state(const std::string& directory) {
  auto failed = [&](int error) {
    return Error{is_shortage(error) ? Errc::io : Errc::not_found,
                 "there is no state in '" + directory
                     + "': " + std::strerror(error)};
  };
  auto opened = Directory::open(directory);
  if (auto* error = std::get_if<int>(&opened))
    return failed(*error);
  auto loaded = std::get<Directory>(opened).load();
  if (auto* error = std::get_if<int>(&loaded))
    return failed(*error);
  return std::get<State>(std::move(loaded));
}

Result<LogPart> read_log(const std::string& directory, LogStream stream,
                         std::int64_t offset, std::size_t limit) {
  constexpr int attempts = 16;
  const std::string log = stream == LogStream::out ? "stdout" : "stderr";
  const auto place = log + " in '" + directory + "'";
  auto failed = [&](int error) {
    return Error{is_shortage(error) ? Errc::io : Errc::unreadable,
                 place + " cannot be read: " + std::strerror(error)};
  };
  UniqueFd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd && is_shortage(errno))
    return failed(errno);
  if (!fd)
    return Error{Errc::unreadable,
                 "there is no " + place + ": " + std::strerror(errno)};
  for (int i = 0; i < attempts; ++i) {
    auto opened = open_segments(fd.get(), log);
    if (auto* error = std::get_if<int>(&opened)) {
      if (*error == ENOENT)
        continue;
      return failed(*error);
    }
    const auto& segments = std::get<std::vector<Segment>>(opened);
    if (segments.empty())
      return Error{Errc::unreadable, "there is no " + place};
    auto read = read_from(segments, offset, limit);
    if (auto* error = std::get_if<int>(&read))
      return failed(*error);
    auto result = std::get<LogPart>(std::move(read));
    // After the files were listed: what has been deleted since is open.
    if (!result.data.empty() && offset >= 0 && result.offset > offset)
      result.gone = std::max<std::int64_t>(
          result.offset - std::max(offset, rotated_until(fd.get(), log)), 0);
    return result;
  }
  return failed(ENOENT);
}

} // namespace stoker::process
