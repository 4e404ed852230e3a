#include "storage/identity_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>

namespace stoker::identity_files {

namespace fs = std::filesystem;
using process::UniqueFd;

namespace {

constexpr const char* suffix = ".json";

/// Not part of an application's id; a key has '/' there.
constexpr char separator = '+';

Error failed(const char* what, const std::string& path, int error) {
  auto full = error == ENOSPC || error == EDQUOT;
  return {full ? Errc::full : Errc::io, std::string{"cannot "} + what + ' '
                                            + path + ": "
                                            + std::strerror(error)};
}

std::optional<int> to_number(const std::string& text) {
  int result = 0;
  auto [end, error]
      = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || end != text.data() + text.size() || result < 0)
    return std::nullopt;
  return result;
}

/// Returns the names of what is in a directory, without hidden files; none if there is no such
/// directory.
/// @throws std::system_error if it cannot be read: that is no empty directory
std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> result;
  std::error_code error;
  for (fs::directory_iterator i{directory, error}, end; !error && i != end;
       i.increment(error))
    if (auto name = i->path().filename().string(); name.front() != '.')
      result.push_back(std::move(name));
  if (error && error != std::errc::no_such_file_or_directory)
    throw std::system_error{error, "cannot read " + directory};
  return result;
}

/// A driver that was started again has its last directory below its first.
int attempts_in(const std::string& directory) {
  constexpr std::string_view prefix = "attempt-";
  auto result = 1;
  for (const auto& name : names_in(directory))
    if (name.starts_with(prefix))
      result
          = std::max(result, to_number(name.substr(prefix.size())).value_or(1));
  return result;
}

} // namespace

Status make_directory(const std::string& path) {
  auto reason = [](int error) { return Error{Errc::io, std::strerror(error)}; };
  if (::mkdir(path.c_str(), 0700) == 0)
    return {};
  if (errno != EEXIST)
    return reason(errno);
  std::error_code error;
  if (!fs::is_directory(path, error))
    return reason(ENOTDIR);
  if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0)
    return reason(errno);
  return {};
}

UniqueFd open_lock(const std::string& path) {
  return UniqueFd{
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
}

std::string noted_place(int lock) {
  std::array<char, 256> text{};
  auto n = ::pread(lock, text.data(), text.size(), 0);
  std::string result{text.data(),
                     static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  return result.substr(0, result.find('\n'));
}

std::string place_of(int lock) {
  std::string boot;
  std::ifstream{"/proc/sys/kernel/random/boot_id"} >> boot;
  struct stat info {};
  if (boot.empty() || ::fstat(lock, &info) != 0)
    return {};
  return std::to_string(info.st_ino) + ' ' + std::to_string(info.st_dev) + ' '
         + boot;
}

bool is_copy(const std::string& noted, const std::string& present) {
  auto read = [](const std::string& text, std::string& inode,
                 std::string& device, std::string& boot) {
    std::istringstream in{text};
    return static_cast<bool>(in >> inode >> device >> boot);
  };
  std::string inode;
  std::string device;
  std::string boot;
  std::string present_inode;
  std::string present_device;
  std::string present_boot;
  if (!read(noted, inode, device, boot)
      || !read(present, present_inode, present_device, present_boot))
    return false;
  return inode != present_inode
         || (boot == present_boot && device != present_device);
}

void note_place(int lock) {
  auto line = place_of(lock) + '\n';
  // What was there may be longer.
  if (noted_place(lock) + '\n' != line
      && ::pwrite(lock, line.data(), line.size(), 0) > 0)
    static_cast<void>(::ftruncate(lock, static_cast<off_t>(line.size())) == 0);
}

std::vector<int> numbers_in(const std::string& directory) {
  std::vector<int> result;
  for (const auto& name : names_in(directory))
    if (auto number = to_number(name))
      result.push_back(*number);
  std::sort(result.begin(), result.end());
  return result;
}

Status replace_file(const std::string& path,
                    const boost::json::value& contents) {
  auto text = boost::json::serialize(contents) + '\n';
  auto slash = path.rfind('/') + 1;
  auto temporary = path.substr(0, slash) + '.' + path.substr(slash) + ".new";
  UniqueFd file{::open(temporary.c_str(),
                       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                       0600)};
  if (!file)
    return failed("write", path, errno);
  errno = 0;
  auto n = ::write(file.get(), text.data(), text.size());
  auto error = n == static_cast<ssize_t>(text.size()) ? 0
               : errno != 0                           ? errno
                                                      : ENOSPC;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error == 0)
    return {};
  ::unlink(temporary.c_str());
  return failed("write", path, error);
}

Status overwrite_file(const std::string& path,
                      const boost::json::value& contents) {
  auto text = boost::json::serialize(contents) + '\n';
  UniqueFd file{::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW)};
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return failed("write", path, errno);
  constexpr std::size_t block = 512;
  if (text.size() > static_cast<std::size_t>(info.st_blocks) * block)
    return failed("write", path, ENOSPC);
  // In one piece, so that nobody reads a part.
  errno = 0;
  auto n = ::pwrite(file.get(), text.data(), text.size(), 0);
  if (n != static_cast<ssize_t>(text.size()))
    return failed("write", path, errno != 0 ? errno : ENOSPC);
  if (::ftruncate(file.get(), static_cast<off_t>(text.size())) != 0)
    return failed("write", path, errno);
  return {};
}

Status create_file(const std::string& path) {
  UniqueFd file{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file)
    return failed("create", path, errno);
  return {};
}

Result<std::optional<boost::json::value>> read_json(const std::string& path) {
  using Found = std::optional<boost::json::value>;
  std::ifstream in{path, std::ios::binary};
  if (!in) {
    if (errno == ENOENT)
      return Found{};
    return failed("read", path, errno);
  }
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  boost::json::error_code error;
  auto result = boost::json::parse(text, error);
  if (error)
    return Error{Errc::corrupt, "cannot read " + path + ": not JSON ("
                                    + error.message() + ')'};
  return Found{std::move(result)};
}

std::string program_file(const std::string& directory, const std::string& key) {
  auto name = key;
  std::replace(name.begin(), name.end(), '/', separator);
  return directory + '/' + name + suffix;
}

std::map<std::string, std::string> programs_in(const std::string& directory) {
  std::map<std::string, std::string> result;
  for (const auto& name : names_in(directory)) {
    if (!name.ends_with(suffix))
      continue;
    auto key = name.substr(0, name.size() - std::strlen(suffix));
    std::replace(key.begin(), key.end(), separator, '/');
    result[key] = directory + '/' + name;
  }
  return result;
}

ProgramRecord program_of_nobody(const std::string& key,
                                const std::string& work_directory) {
  ProgramRecord result;
  auto slash = key.find('/');
  if (slash != std::string::npos) {
    auto& executor = result.executor.emplace();
    executor.app_id = AppId{key.substr(0, slash)};
    executor.exec_id = to_number(key.substr(slash + 1)).value_or(0);
  } else {
    auto& driver = result.driver.emplace();
    driver.driver_id = DriverId{key};
    driver.attempts = attempts_in(work_directory + '/' + key);
  }
  return result;
}

std::vector<std::string> oldest_first(const std::string& directory) {
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> entries;
  for (auto& name : names_in(directory)) {
    struct stat info {};
    if (::stat((directory + '/' + name).c_str(), &info) == 0)
      entries.emplace_back(info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                           std::move(name));
  }
  std::sort(entries.begin(), entries.end());
  std::vector<std::string> result;
  for (auto& entry : entries)
    result.push_back(std::move(std::get<2>(entry)));
  return result;
}

void move_files(const std::string& from, const std::string& to) {
  for (const auto& name : names_in(from))
    ::rename((from + '/' + name).c_str(), (to + '/' + name).c_str());
}

void remove_directory(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
}

} // namespace stoker::identity_files
