#include "process/output_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

namespace stoker::process {

namespace {

std::string file_name(const std::string& log, std::int64_t start) {
  char digits[24];
  std::snprintf(digits, sizeof digits, ".%020lld",
                static_cast<long long>(start));
  return log + digits;
}

std::string oldest_link(const std::string& log) {
  return log + ".oldest";
}

bool may_be_file_of_log(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_size <= log_file_bytes_max;
}

} // namespace

std::int64_t rotated_until(int directory, const std::string& log) {
  std::array<char, 64> name{};
  auto size = ::readlinkat(directory, oldest_link(log).c_str(), name.data(),
                           name.size());
  std::int64_t result = 0;
  if (size > std::ssize(log))
    std::from_chars(name.data() + log.size() + 1, name.data() + size, result);
  return result;
}

std::variant<std::vector<LogFile>, int> list_log_files(int directory,
                                                       const std::string& log) {
  std::vector<LogFile> result;
  auto fd = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  auto* dir = ::fdopendir(fd); // owns fd from now on
  if (dir == nullptr) {
    auto error = errno;
    ::close(fd);
    return error;
  }
  errno = 0;
  while (const auto* entry = ::readdir(dir)) {
    std::string name = entry->d_name;
    // A program may have put something else there, such as a FIFO.
    if (!name.starts_with(log + ".")
        || (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN))
      continue;
    LogFile file;
    auto begin = name.data() + log.size() + 1;
    auto end = name.data() + name.size();
    auto [stop, error] = std::from_chars(begin, end, file.start);
    if (error != std::errc{} || stop != end || file.start < 0
        || file.start > log_start_max)
      continue;
    file.name = std::move(name);
    result.push_back(std::move(file));
  }
  auto error = errno;
  ::closedir(dir);
  if (error != 0)
    return error;
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.start < b.start; });
  return result;
}

LogWriter::LogWriter(int directory, std::string log, std::int64_t bytes_max,
                     int files_max)
    : directory_(directory), log_(std::move(log)), bytes_max_(bytes_max),
      files_max_(files_max) {
}

int LogWriter::open() {
  // A directory serves one program after the other. What an earlier one wrote
  // is not this one's output.
  auto listed = list_log_files(directory_, log_);
  if (auto* error = std::get_if<int>(&listed))
    return *error;
  for (const auto& file : std::get<std::vector<LogFile>>(listed))
    ::unlinkat(directory_, file.name.c_str(), 0);
  if (!start_file(0))
    return errno;
  names_oldest_ = set_oldest({0, file_name(log_, 0)});
  return 0;
}

void LogWriter::keep_from(std::optional<std::int64_t> offset) {
  keep_from_ = offset;
}

bool LogWriter::follow_file() {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0)
    return true;
  if (status.st_nlink == 0 || status.st_size < size_
      || status.st_size > log_file_bytes_max)
    return false;
  size_ = status.st_size;
  return true;
}

std::size_t LogWriter::write(std::string_view data, Limit limit) {
  auto all = data.size();
  auto cleared = false;
  error_ = 0;
  while (!data.empty()) {
    // Where no new file can be, the old one takes what follows: the log's end tells
    // readers that something is missing.
    if (!follow_file())
      static_cast<void>(start_file(end()));
    auto room = static_cast<std::size_t>(
        std::max(bytes_max_ - size_, std::int64_t{1}));
    ssize_t n = -1;
    if ((size_ < bytes_max_ || rotate(limit)) && write_note())
      n = ::write(file_.get(), data.data(), std::min(room, data.size()));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      error_ = errno;
      if (!keep_from_) {
        drop(data.size());
        break;
      }
      if (error_ == 0 || std::exchange(cleared, true))
        return all - data.size();
      // A full disk has room again without what every reader has. Files go as a
      // whole, so the present one must not grow any more.
      if (size_ > 0)
        rotate(limit);
      static_cast<void>(leave_newest(1));
      continue;
    }
    cleared = false;
    size_ += n;
    at_line_start_ = data[static_cast<std::size_t>(n) - 1] == '\n';
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  error_ = 0;
  return all;
}

void LogWriter::drop(std::size_t bytes) {
  dropped_because_ = error_;
  dropped_ += static_cast<std::int64_t>(bytes);
  not_noted_ += static_cast<std::int64_t>(bytes);
}

void LogWriter::close() {
  write_note();
  static_cast<void>(follow_file());
  file_.reset();
}

bool LogWriter::start_file(std::int64_t start) {
  auto name = file_name(log_, start);
  struct stat status {};
  if (::fstatat(directory_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
      && !may_be_file_of_log(status))
    ::renameat(directory_, name.c_str(), directory_, (name + ".aside").c_str());
  // A FIFO must not block, even if it comes between the two calls.
  UniqueFd file{::openat(directory_, name.c_str(),
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
                             | O_NONBLOCK,
                         0600)};
  if (!file || ::fstat(file.get(), &status) != 0)
    return false;
  if (!may_be_file_of_log(status)) {
    errno = EEXIST;
    return false;
  }
  file_ = std::move(file);
  start_ = start;
  size_ = status.st_size;
  // The link is a convenience for people, so failing to set it is fine.
  auto link = log_ + ".new";
  ::unlinkat(directory_, link.c_str(), 0);
  if (::symlinkat(name.c_str(), directory_, link.c_str()) == 0)
    ::renameat(directory_, link.c_str(), directory_, log_.c_str());
  return true;
}

bool LogWriter::rotate(Limit limit) {
  // Making room comes first, since the disk may be full; but one file always
  // stays, since its name and size tell where the log ends.
  if (!leave_newest(std::max(files_max_ - 1, 1)) && limit == Limit::kept) {
    errno = 0; // nothing failed
    return false;
  }
  if (!start_file(start_ + size_))
    return false;
  static_cast<void>(leave_newest(files_max_));
  return true;
}

bool LogWriter::write_note() {
  if (not_noted_ == 0)
    return true;
  auto note = std::string{at_line_start_ ? "" : "\n"} + "stoker: "
              + std::to_string(not_noted_) + " bytes of output were lost: "
              + std::strerror(dropped_because_) + "\n";
  auto n = ::write(file_.get(), note.data(), note.size());
  if (n != static_cast<ssize_t>(note.size())) {
    // Half a note is taken back. Should even that fail, it counts as written.
    if (n > 0 && ::ftruncate(file_.get(), size_) != 0)
      size_ += n;
    if (n >= 0)
      errno = ENOSPC;
    return false;
  }
  size_ += n;
  at_line_start_ = true;
  not_noted_ = 0;
  return true;
}

bool LogWriter::set_oldest(const LogFile& file) const {
  auto link = oldest_link(log_);
  auto next = link + ".new";
  ::unlinkat(directory_, next.c_str(), 0);
  return ::symlinkat(file.name.c_str(), directory_, next.c_str()) == 0
         && ::renameat(directory_, next.c_str(), directory_, link.c_str()) == 0;
}

bool LogWriter::leave_newest(int count) const {
  auto listed = list_log_files(directory_, log_);
  auto* found = std::get_if<std::vector<LogFile>>(&listed);
  // The next rotation makes up for it.
  if (found == nullptr)
    return true;
  auto& files = *found;
  while (static_cast<std::ptrdiff_t>(files.size()) > count) {
    // A file ends where the next one begins.
    if (keep_from_ && files.size() > 1 && files[1].start > *keep_from_)
      return false;
    // Before the file goes, so that no reader misses what rotation took. A full disk may
    // have no room for the link before.
    auto is_set = set_oldest(files[1]);
    ::unlinkat(directory_, files.front().name.c_str(), 0);
    files.erase(files.begin());
    if (!is_set)
      set_oldest(files.front());
  }
  return true;
}

} // namespace stoker::process
