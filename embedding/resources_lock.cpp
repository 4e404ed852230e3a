#include "embedding/resources_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "embedding/machine.hpp"
#include "process/private_directory.hpp"
#include "storage/sha256.hpp"

namespace stoker {

namespace {

/// A process that holds a lock.
struct LockHolder {
  pid_t pid = 0;
  std::optional<uid_t> user;
};

std::string to_string(const LockHolder& x) {
  auto result = "process " + std::to_string(x.pid);
  if (x.user)
    result += " of the user with id " + std::to_string(*x.user);
  return result;
}

/// Returns those whose locks of an open file the kernel shows to this process.
std::vector<LockHolder> holders_of(int fd) {
  std::vector<LockHolder> result;
  struct stat file {};
  if (::fstat(fd, &file) != 0)
    return result;
  std::ifstream locks{"/proc/locks"};
  for (std::string line; std::getline(locks, line);) {
    LockHolder holder;
    unsigned major_id = 0;
    unsigned minor_id = 0;
    std::uint64_t inode = 0;
    if (std::sscanf(line.c_str(), "%*d: FLOCK %*s %*s %d %x:%x:%" SCNu64,
                    &holder.pid, &major_id, &minor_id, &inode)
            != 4
        || makedev(major_id, minor_id) != file.st_dev || inode != file.st_ino)
      continue;
    struct stat process {};
    if (::stat(("/proc/" + std::to_string(holder.pid)).c_str(), &process) == 0)
      holder.user = process.st_uid;
    result.push_back(holder);
  }
  return result;
}

/// Returns true if this worker has to respect the lock. If the file is its own, it does not
/// respect a holder that the kernel does not show: any user can hide one.
/// @param owner Of the resources file
bool counts(const LockHolder& x, uid_t owner) {
  return owner != ::geteuid() || (x.user && (*x.user == owner || *x.user == 0));
}

Error refusal(const std::string& path, const std::string& holder) {
  return {Errc::failed,
          "another worker on this machine offers the resources in " + path
              + (holder.empty() ? "" : " (" + holder + ")")
              + ": give each worker its own file, or start both with one "
                "command, as stoker worker --instances 2, which divides the "
                "resources"};
}

/// Whether another process has locked the file. File systems without locks cannot tell.
bool is_locked_elsewhere(const process::UniqueFd& file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// The paths of a resources file that stay the same when the file, or a link to it, is
/// replaced.
std::set<std::string> stable_paths(const std::string& path) {
  std::error_code error;
  std::set<std::string> result{
      std::filesystem::absolute(path, error).lexically_normal().string()};
  if (auto real = std::filesystem::canonical(path, error); !error)
    result.insert(real.string());
  return result;
}

/// Reads what the holder of a lock has written into it.
std::string holder_in(const process::UniqueFd& lock) {
  std::array<char, 4096> text{};
  auto size = ::pread(lock.get(), text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

/// Adds the locks of this user, if there is a place for them.
/// @param holder This process, for other workers
/// @return the holder, if another worker has one
std::optional<std::string> lock_for_user(const std::string& path,
                                         const std::string& holder,
                                         const std::string& state_directory,
                                         ResourcesLock& result) {
  auto directory = state_directory + "/resources";
  if (process::make_private_directories(directory) != 0)
    return std::nullopt;
  for (const auto& stable : stable_paths(path)) {
    // The state directory may be one of several machines.
    auto name = directory + '/' + sha256_of(machine_name() + '\n' + stable);
    process::UniqueFd lock{
        ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (!lock)
      continue;
    if (is_locked_elsewhere(lock))
      return holder_in(lock);
    if (::ftruncate(lock.get(), 0) == 0)
      static_cast<void>(::pwrite(lock.get(), holder.data(), holder.size(), 0)
                        < 0);
    result.held.push_back(std::move(lock));
  }
  return std::nullopt;
}

} // namespace

Result<ResourcesLock> lock_resources_file(const ResourceDiscovery& plan,
                                          const std::string& work_directory,
                                          const std::string& state_directory) {
  ResourcesLock result;
  const auto& path = plan.file;
  if (path.empty() || !offers_of_file(plan))
    return result;
  auto self = to_string(LockHolder{::getpid(), {}}) + " in " + work_directory;
  if (auto holder = lock_for_user(path, self, state_directory, result))
    return refusal(path, *holder);
  process::UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0)
    return Error{Errc::failed, "cannot read the resources file " + path + ": "
                                   + std::strerror(errno)};
  if (!is_locked_elsewhere(file)) {
    result.held.push_back(std::move(file));
    return result;
  }
  auto holders = holders_of(file.get());
  if (holders.empty())
    holders.emplace_back();
  auto found = std::ranges::find_if(
      holders, [&](const LockHolder& x) { return counts(x, status.st_uid); });
  if (found != holders.end())
    return refusal(path, found->pid == 0 ? "" : to_string(*found));
  const auto& holder = holders.front();
  result.warning = (holder.pid == 0 ? "a process" : to_string(holder))
                   + " has locked the resources file " + path
                   + ": if it is a worker, both offer the same addresses; "
                     "close the file to other users (chmod go-r)";
  return result;
}

} // namespace stoker
