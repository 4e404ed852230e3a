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

void run_supervisor(Launch launch, State state, const Directory& directory,
                    UniqueFd connection, std::string received) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  set_process_title("stoker", "stoker supervise " + launch.spec.title);
  state.supervisor = identify(::getpid());
  Supervisor{std::move(launch), std::move(state), directory,
             std::move(connection), std::move(received)}
      .run();
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
  auto title = launch.spec.title;
  auto supervisor = ::fork();
  if (supervisor < 0) {
    auto error = errno;
    remove_cgroup(state.cgroup);
    return refuse(std::move(connection), state, error, "fork a supervisor");
  }
  if (supervisor == 0) {
    run_supervisor(std::move(launch), std::move(state), directory,
                   std::move(connection), lines.take_rest());
    ::_exit(0); // what was to be done at exit is the guard's
  }
  connection.reset();
  launch = {};
  text.reset();
  lines = LineBuffer{};
  ::malloc_trim(0);
  Guard{title, directory, state.cgroup, supervisor}.run();
  return 0;
}

} // namespace stoker::process
