#include "process/supervisor_launcher.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "process/private_directory.hpp"
#include "process/process_tree.hpp"
#include "process/spawn_attributes.hpp"

namespace stoker::process {

namespace {

/// What posix_spawn(3) does between fork and exec. The function suits a process
/// with threads and much memory: it copies neither.
class SpawnPlan {
public:
  explicit SpawnPlan(int standard_input) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, standard_input, 0);
    for (auto fd : {1, 2})
      ::posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_WRONLY,
                                         0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
  }

  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
  }

  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  /// Returns 0 or `errno`, that of exec too.
  int run(const std::string& executable, pid_t& pid) const {
    std::string name = "stoker", command = "supervise";
    std::array<char*, 3> arguments{name.data(), command.data(), nullptr};
    return ::posix_spawn(&pid, executable.c_str(), &actions_, attributes_.get(),
                         arguments.data(), environ);
  }

private:
  posix_spawn_file_actions_t actions_;

  // The supervisor has a session of its own: Ctrl-C is for the worker alone.
  SpawnAttributes attributes_{POSIX_SPAWN_SETSID};
};

} // namespace

Result<Launched> launch_supervisor(const std::string& executable) {
  auto failed = [](const std::string& what, int error) {
    return Error{Errc::failed, what + ": " + std::strerror(error)};
  };
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    return failed("cannot create a socket", errno);
  UniqueFd ours{fds[0]}, theirs{fds[1]};
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  pid_t pid = 0;
  if (auto error = SpawnPlan{theirs.get()}.run(executable, pid); error != 0)
    return failed("cannot execute the supervisor '" + executable + '\'', error);
  auto id = identify(pid);
  auto guard = open_process(id);
  if (!guard) {
    // Too many open files. It has not been told what to start yet.
    auto error = errno;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return failed("cannot watch the supervisor", error);
  }
  return Launched{std::move(guard), id, std::move(ours)};
}

Status prepare_directory(const std::string& path) {
  auto fail = [&](const char* what, int error) {
    return Error{Errc::io, std::string{"cannot "} + what + " '" + path
                               + "': " + std::strerror(error)};
  };
  if (auto failed = make_private_directories(path); failed != 0)
    return fail("create directory", failed);
  if (::chmod(path.c_str(), 0700) != 0)
    return fail("use directory", errno);
  UniqueFd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd)
    return fail("open directory", errno);
  if (::faccessat(fd.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
    return fail("write to directory", errno);
  return {};
}

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  // Cannot fail for so few bytes, once the machine has booted.
  [[maybe_unused]] auto n = ::getrandom(bytes.data(), bytes.size(), 0);
  std::string result;
  for (auto byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    result += digits;
  }
  return result;
}

} // namespace stoker::process
