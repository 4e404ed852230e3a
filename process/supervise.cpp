#include "process/supervise.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "process/cgroup.hpp"
#include "process/control_server.hpp"
#include "process/guard.hpp"
#include "process/line_buffer.hpp"
#include "process/process_title.hpp"
#include "process/supervision_signals.hpp"
#include "process/supervisor.hpp"

namespace stoker::process {

namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

/// Larger launches than the kernel takes as arguments need no room.
constexpr std::size_t launch_bytes_max = 64 * 1024 * 1024;

/// Reads up to the first newline. What follows stays in `lines`.
std::optional<std::string> read_line(int fd, LineBuffer& lines) {
  std::array<char, 16 * 1024> buffer;
  // Only what is new is searched for the end of the line.
  bool complete = false;
  while (!complete && lines.size() < launch_bytes_max) {
    auto n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return std::nullopt;
    std::string_view data{buffer.data(), static_cast<std::size_t>(n)};
    lines.append(data);
    complete = data.find('\n') != std::string_view::npos;
  }
  return lines.next_line();
}

/// Frees the standard input for the program's sake: /dev/null takes its place.
UniqueFd take_connection() {
  UniqueFd result{::fcntl(0, F_DUPFD_CLOEXEC, 3)};
  UniqueFd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  ::dup2(null.get(), 0);
  return result;
}

/// Those of both processes; each waits for them in its own way.
void block_signals() {
  auto set = supervision_signals();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  // A log at its size limit or a lost peer are errors of single calls.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

int refuse(UniqueFd connection, State state, int error,
           const std::string& what) {
  state.phase = Phase::could_not_start;
  state.error = error;
  state.message = "cannot " + what + ": " + std::strerror(error);
  ControlServer{
      std::move(connection), {}, [](const Request&, std::string_view) {}}
      .send(state);
  return exit_failure;
}

/// Between the guard and its supervisor: the latter begins when its name is on disk, so that
/// it is found whenever it is stopped. Until then it dies with the guard.
class Introduction {
public:
  /// Fails with `errno`.
  static std::variant<Introduction, int> open() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0)
      return errno;
    return Introduction{UniqueFd{fds[0]}, UniqueFd{fds[1]}, ::getpid()};
  }

  /// For the guard. Writes down who the supervisor is.
  void introduce(const Directory& directory, State state, pid_t supervisor) {
    state.supervisor = identify(supervisor);
    auto error = directory.save(state);
    [[maybe_unused]] auto n = ::write(write_end_.get(), &error, sizeof error);
  }

  /// For the supervisor, as its first act. Returns 0, or the `errno` of writing.
  int wait() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != guard_)
      ::_exit(exit_failure); // it died before the line above
    write_end_.reset();
    int error = 0;
    if (::read(read_end_.get(), &error, sizeof error) != sizeof error)
      ::_exit(exit_failure);
    ::prctl(PR_SET_PDEATHSIG, 0);
    return error;
  }

private:
  Introduction(UniqueFd read_end, UniqueFd write_end, pid_t guard)
      : read_end_(std::move(read_end)), write_end_(std::move(write_end)),
        guard_(guard) {
  }

  UniqueFd read_end_;
  UniqueFd write_end_;
  pid_t guard_;
};

void run_supervisor(Launch launch, State state, const Directory& directory,
                    UniqueFd connection, std::string received,
                    Introduction introduction) {
  set_process_title("stoker", "stoker supervise " + launch.spec.title);
  auto save_error = introduction.wait();
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  state.supervisor = identify(::getpid());
  Supervisor{std::move(launch), std::move(state), directory,
             std::move(connection), std::move(received)}
      .run(save_error);
}

} // namespace

int supervise_main() {
  LineBuffer lines;
  auto text = read_line(0, lines);
  auto parsed = parse_launch(text.value_or(""));
  if (!parsed) {
    std::fprintf(stderr, "stoker supervise: %s. It is started by a worker.\n",
                 parsed.error().message.c_str());
    return exit_usage;
  }
  auto& launch = *parsed;
  auto connection = take_connection();
  block_signals();
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  State state;
  state.token = launch.token;
  state.guard = identify(::getpid());
  const auto in_directory = "'" + launch.spec.directory + "'";
  auto opened = Directory::open(launch.spec.directory);
  if (auto* error = std::get_if<int>(&opened))
    return refuse(std::move(connection), state, *error, "open " + in_directory);
  auto& directory = std::get<Directory>(opened);
  // A directory is in use until also the guard of its last program is gone.
  if (!directory.lock())
    return refuse(std::move(connection), state, EBUSY, "use " + in_directory);
  // Not to keep a file system busy that somebody wants to unmount.
  [[maybe_unused]] auto changed = ::chdir("/");
  state.cgroup = create_cgroup(cgroup_name(launch.token));
  state.mark = mark_of(launch.token);
  // Before the fork: the supervisor reports its program as started while the guard may
  // not have run yet.
  set_process_title("executor-guard", "executor-guard " + launch.spec.title);
  auto stop_grace = launch.spec.stop_grace;
  auto cannot_fork = [&](int error) {
    remove_cgroup(state.cgroup);
    return refuse(std::move(connection), state, error, "fork a supervisor");
  };
  auto opened_pipe = Introduction::open();
  if (auto* error = std::get_if<int>(&opened_pipe))
    return cannot_fork(*error);
  auto& introduction = std::get<Introduction>(opened_pipe);
  auto supervisor = ::fork();
  if (supervisor < 0)
    return cannot_fork(errno);
  if (supervisor == 0) {
    run_supervisor(std::move(launch), std::move(state), directory,
                   std::move(connection), lines.take_rest(),
                   std::move(introduction));
    ::_exit(0);
  }
  introduction.introduce(directory, state, supervisor);
  opened_pipe = 0;
  connection.reset();
  launch = {};
  text.reset();
  lines = LineBuffer{};
  ::malloc_trim(0);
  Guard{directory, state.cgroup, supervisor, stop_grace}.run();
  // LeakSanitizer stops its process at exit(3) and hangs when the monitor's SIGCONT
  // cancels the pending SIGSTOP.
  ::_exit(0);
}

} // namespace stoker::process
