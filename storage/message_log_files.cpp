#include "storage/message_log_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "scheduling/common/instant.hpp"

namespace stoker {

namespace {

using process::UniqueFd;

/// Who was just killed keeps its files for a moment, as long as a child of its has yet to
/// become another program.
constexpr std::chrono::seconds writer_patience{1};
constexpr std::chrono::milliseconds writer_looked_at_every{10};

constexpr const char* has_writer
    = "another process writes there; choose another name";

/// The name of one log: when it began, and in which process.
std::string new_series() {
  auto now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  return std::to_string(to_ms(now)) + '-' + std::to_string(getpid());
}

/// Whether there is a regular file with content.
bool has_content(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored)
         && std::filesystem::file_size(path, ignored) > 0;
}

/// @returns an errno; 0: it is read
int read_beginning(const std::string& path, std::string& beginning) {
  UniqueFd file{open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  beginning.resize(64);
  auto size
      = file ? ::read(file.get(), beginning.data(), beginning.size()) : -1;
  if (size < 0)
    return errno;
  beginning.resize(static_cast<std::size_t>(size));
  return 0;
}

/// Whether the name is wrong, whatever becomes of the machine. A full disk or a
/// file of another user may be all right again without another name.
bool is_wrong_name(int error) {
  switch (error) {
  case EISDIR:
  case ELOOP:
  case ENAMETOOLONG:
  case ENOENT:
  case ENOTDIR:
  case ENXIO:
    return true;
  default:
    return false;
  }
}

/// Whether no other process writes it, waiting a little for that. Where files cannot be
/// locked nobody knows.
bool lock_alone(int fd) {
  const auto give_up = std::chrono::steady_clock::now() + writer_patience;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return true;
    if (std::chrono::steady_clock::now() >= give_up)
      return false;
    std::this_thread::sleep_for(writer_looked_at_every);
  }
  return true;
}

} // namespace

LogFiles::LogFiles(std::string path, LogKind kind, std::string config,
                   MessageLogLimits limits)
    : path_(std::move(path)),
      limits_(limits), header_{kind, newest_version(kind), new_series(), 0, 1},
      config_(std::move(config)) {
  has_begun_ = check_what_is_there() && check_writers() && begin_file();
  if (!has_begun_ && wrong_name_)
    throw std::runtime_error{problem()};
}

bool LogFiles::has_begun() const noexcept {
  return has_begun_;
}

std::string LogFiles::problem() const {
  return "cannot write the message log " + path_ + ": " + reason_;
}

bool LogFiles::fail(int error, const std::string& file) {
  reason_ = file == path_ ? std::string{} : file + ": ";
  reason_ += std::strerror(error);
  wrong_name_ = is_wrong_name(error);
  return false;
}

bool LogFiles::refuse(std::string reason) {
  reason_ = std::move(reason);
  wrong_name_ = true;
  return false;
}

std::string LogFiles::name(int age) const {
  return age == 0 ? path_ : path_ + '.' + std::to_string(age);
}

std::vector<std::string> LogFiles::names() const {
  std::vector<std::string> result;
  for (int age = 0; age < limits_.files; ++age)
    result.push_back(name(age));
  result.push_back(next_name());
  return result;
}

std::string LogFiles::next_name() const {
  return path_ + ".next";
}

bool LogFiles::check_what_is_there() {
  std::string beginning;
  for (const auto& name : names()) {
    if (!has_content(name))
      continue;
    // Nobody knows what it is.
    if (auto error = read_beginning(name, beginning); error != 0)
      return fail(error, name);
    if (!begins_as_message_log(beginning))
      return refuse(name
                    + " is something else; move it away, or choose another "
                      "name");
  }
  return true;
}

/// What another process writes must not be moved away. It may be moving its file just now.
bool LogFiles::check_writers() {
  for (const auto& name : names()) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(name, ignored))
      continue;
    UniqueFd file{open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    if (file && !lock_alone(file.get()))
      return refuse(has_writer);
  }
  return true;
}

/// Makes each file one older, and the next one the present one.
bool LogFiles::make_present() {
  for (int age = limits_.files - 1; age > 0; --age)
    if (std::rename(name(age - 1).c_str(), name(age).c_str()) != 0
        && errno != ENOENT)
      return fail(errno, path_);
  if (std::rename(next_name().c_str(), path_.c_str()) != 0)
    return fail(errno, path_);
  return true;
}

/// Empties a file, or makes it, for its owner alone.
bool LogFiles::open_file(const std::string& name) {
  UniqueFd file{open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
  if (!file)
    return fail(errno, path_);
  // A device, as /dev/null, belongs to everybody.
  struct stat status {};
  regular_ = fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (regular_ && !lock_alone(file.get()))
    return refuse(has_writer);
  // What is somebody else's is not emptied.
  if (regular_
      && (fchmod(file.get(), 0600) != 0 || ftruncate(file.get(), 0) != 0))
    return fail(errno, path_);
  file_ = std::move(file);
  return true;
}

bool LogFiles::write_header() {
  ++header_.segment;
  header_.first_step = next_step_;
  auto line = to_line(header_, config_);
  size_ = 0;
  header_size_ = line.size();
  return write_all(line);
}

/// Makes FILE, with its header. The files that there are stay as they are until there is
/// one to go on with: on a full disk there is none.
bool LogFiles::begin_file() {
  const auto replaces = has_content(path_);
  const auto name = replaces ? next_name() : path_;
  std::error_code ignored;
  const auto is_new = !std::filesystem::exists(name, ignored);
  // The one before is locked until it has become older.
  const auto before = std::move(file_);
  if (open_file(name) && write_header() && (!replaces || make_present()))
    return true;
  if (file_ && (is_new || replaces))
    ::unlink(name.c_str());
  return false;
}

bool LogFiles::write(std::string_view lines) {
  try {
    return write_lines(lines);
  } catch (const std::bad_alloc&) {
    return fail(ENOMEM, path_);
  }
}

bool LogFiles::write_lines(std::string_view lines) {
  while (!lines.empty()) {
    auto part = lines;
    if (regular_ && limits_.file_bytes > 0
        && lines.size() + size_ > limits_.file_bytes) {
      auto room = limits_.file_bytes - std::min(limits_.file_bytes, size_);
      auto end = lines.substr(0, room).rfind('\n');
      // A file without any step takes one that is too long.
      if (end == std::string_view::npos && size_ == header_size_)
        end = lines.find('\n');
      if (end == std::string_view::npos) {
        if (!begin_file())
          return false;
        continue;
      }
      part = lines.substr(0, end + 1);
    }
    if (!write_all(part))
      return false;
    next_step_ += static_cast<std::uint64_t>(
        std::count(part.begin(), part.end(), '\n'));
    lines.remove_prefix(part.size());
  }
  return true;
}

bool LogFiles::write_all(std::string_view text) {
  while (!text.empty()) {
    auto written = ::write(file_.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return fail(written < 0 ? errno : ENOSPC, path_);
    size_ += static_cast<std::uint64_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

} // namespace stoker
