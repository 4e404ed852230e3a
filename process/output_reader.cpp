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

#include "process/directory.hpp"
#include "process/output_files.hpp"
#include "process/unique_fd.hpp"

namespace stoker::process {

namespace {

std::int64_t size_of(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 ? status.st_size : 0;
}

/// Reads `count` bytes at `position`, fewer at the end of the file.
std::string read_at(int fd, std::int64_t position, std::size_t count) {
  std::string result(count, '\0');
  std::size_t used = 0;
  while (used < count) {
    auto n = ::pread(fd, result.data() + used, count - used,
                     position + static_cast<std::int64_t>(used));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
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
};

/// Opens all files of a log. Open files stay readable, so what happens next
/// cannot disturb. Returns `nullopt` if one was rotated away in between.
std::optional<std::vector<Segment>> open_segments(int directory,
                                                  const std::string& log) {
  std::vector<Segment> result;
  for (const auto& file : list_log_files(directory, log)) {
    Segment segment;
    segment.fd = UniqueFd{::openat(directory, file.name.c_str(),
                                   O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    if (!segment.fd)
      return std::nullopt;
    segment.start = file.start;
    segment.end = file.start + size_of(segment.fd.get());
    result.push_back(std::move(segment));
  }
  return result;
}

LogPart read_from(const std::vector<Segment>& segments, std::int64_t offset,
                  std::size_t limit) {
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
    auto data = read_at(segment.fd.get(), position - segment.start, count);
    position += static_cast<std::int64_t>(data.size());
    result.data += data;
    if (data.size() < count)
      break;
  }
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
  return error == std::errc{} ? std::optional{start + status.st_size}
                              : std::nullopt;
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

std::optional<State> read_state(const std::string& directory) {
  auto opened = Directory::open(directory);
  auto* found = std::get_if<Directory>(&opened);
  return found != nullptr ? found->load() : std::nullopt;
}

Result<LogPart> read_log(const std::string& directory, LogStream stream,
                         std::int64_t offset, std::size_t limit) {
  constexpr int attempts = 16;
  auto failed = [](std::string why) {
    return Error{Errc::unreadable, std::move(why)};
  };
  const std::string log = stream == LogStream::out ? "stdout" : "stderr";
  UniqueFd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd)
    return failed("there is no " + log + " in '" + directory
                  + "': " + std::strerror(errno));
  for (int i = 0; i < attempts; ++i) {
    auto segments = open_segments(fd.get(), log);
    if (!segments)
      continue;
    if (segments->empty())
      return failed("there is no " + log + " in '" + directory + "'");
    return read_from(*segments, offset, limit);
  }
  return failed(log + " in '" + directory
                + "' cannot be read: " + std::strerror(errno));
}

} // namespace stoker::process
