#include "process/command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "process/cgroup.hpp"
#include "process/open_files.hpp"
#include "process/program_files.hpp"

namespace stoker::process {

namespace {

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

/// The end that stays here is non-blocking, that of the program is not.
/// @param here Which end that is.
std::variant<Pipe, int> make_pipe(UniqueFd Pipe::*here = &Pipe::read_end) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    return errno;
  Pipe result{UniqueFd{fds[0]}, UniqueFd{fds[1]}};
  if (::fcntl((result.*here).get(), F_SETFL, O_NONBLOCK) != 0)
    return errno;
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& text : strings)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Tries one after the other. Returns only if none could be executed.
int execute(const std::vector<std::string>& files, char* const* arguments,
            char* const* environment) {
  int result = ENOENT;
  for (const auto& file : files) {
    ::execve(file.c_str(), arguments, environment);
    if (errno == EACCES)
      result = EACCES; // tells more than that others do not exist
    else if (errno != ENOENT && errno != ENOTDIR)
      return errno;
  }
  return result;
}

/// Where the program's process has its end of the status pipe.
constexpr int status_number = 3;

/// What goes to the program, and what comes from it.
struct Pipes {
  Pipe out;
  Pipe err;
  Pipe status;

  /// None: its input is empty.
  Pipe input;
};

std::variant<Pipes, int> make_pipes(bool with_input) {
  Pipes result;
  for (auto member : {&Pipes::out, &Pipes::err, &Pipes::status}) {
    auto made = make_pipe();
    if (auto* error = std::get_if<int>(&made))
      return *error;
    result.*member = std::move(std::get<Pipe>(made));
  }
  if (with_input) {
    auto made = make_pipe(&Pipe::write_end);
    if (auto* error = std::get_if<int>(&made))
      return *error;
    result.input = std::move(std::get<Pipe>(made));
  }
  return result;
}

/// Input from its pipe or from nowhere, output to the pipes.
bool arrange_descriptors(const Pipes& pipes) {
  constexpr int above_standard = 10;
  // Moved up first, so that no target is still a source.
  auto move_up
      = [](int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, above_standard); };
  auto in_fd = move_up(pipes.input.read_end
                           ? pipes.input.read_end.get()
                           : ::open("/dev/null", O_RDONLY | O_CLOEXEC));
  auto out_fd = move_up(pipes.out.write_end.get());
  auto err_fd = move_up(pipes.err.write_end.get());
  auto status_fd = move_up(pipes.status.write_end.get());
  return ::dup2(in_fd, 0) == 0 && ::dup2(out_fd, 1) == 1
         && ::dup2(err_fd, 2) == 2
         && ::dup3(status_fd, status_number, O_CLOEXEC) == status_number;
}

/// All descriptors of ours are close-on-exec. This is for those that a library
/// may have opened, so kernels without the call do no harm.
void close_others() {
  ::syscall(SYS_close_range, status_number + 1, ~0U, 0);
}

void reset_signals() {
  // As the kernel has them: handler, flags, restorer, mask. The C library refuses to
  // change two signals of its own, which posix_spawn(3) leaves ignored.
  constexpr unsigned long default_action[4]{};
  constexpr std::size_t mask_bytes = 8;
  for (int signal = 1; signal < NSIG; ++signal)
    ::syscall(SYS_rt_sigaction, signal, default_action, nullptr, mask_bytes);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void write_note(const std::string& text) {
  [[maybe_unused]] auto n = ::write(2, text.data(), text.size());
}

/// Whether the program may start where it is then.
bool enter_working_directory(const LaunchSpec& spec) {
  if (!spec.working_directory.empty()) {
    if (::chdir(spec.working_directory.c_str()) == 0)
      return true;
    if (spec.working_directory_required)
      return false;
    write_note("stoker: cannot enter '" + spec.working_directory
               + "': " + std::strerror(errno) + "; starting in '"
               + spec.own_directory() + "'\n");
  }
  if (::chdir(spec.own_directory().c_str()) != 0)
    write_note("stoker: cannot enter '" + spec.own_directory()
               + "': " + std::strerror(errno) + "\n");
  return true;
}

[[noreturn]] void give_up(int status, const StartFailure& x) {
  [[maybe_unused]] auto n = ::write(status, &x, sizeof x);
  ::_exit(127);
}

} // namespace

std::variant<Command, int>
fork_command(const Launch& launch, const std::string& cgroup, LaunchMark mark) {
  auto made = make_pipes(launch.spec.input);
  if (auto* error = std::get_if<int>(&made))
    return *error;
  auto& pipes = std::get<Pipes>(made);
  auto argument_texts = launch.spec.arguments;
  std::vector<std::string> environment_texts{marker_of(launch.token)};
  for (const auto& [name, value] : launch.spec.environment)
    environment_texts.push_back(name + "=" + value);
  auto arguments = pointers_to(argument_texts);
  auto environment = pointers_to(environment_texts);
  auto files
      = program_files(launch.spec.arguments.front(), launch.spec.environment);
  auto supervisor = ::getpid();
  auto pid = ::fork();
  if (pid < 0)
    return errno;
  if (pid > 0)
    return Command{pid, std::move(pipes.status.read_end),
                   std::move(pipes.out.read_end), std::move(pipes.err.read_end),
                   std::move(pipes.input.write_end)};
  carry_mark(mark);
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor)
    ::_exit(127); // it died before the line above
  join_cgroup(cgroup);
  if (!arrange_descriptors(pipes))
    give_up(pipes.status.write_end.get(), {errno, false});
  close_others();
  reset_signals();
  limit_open_files(launch.spec.open_files_max);
  if (!enter_working_directory(launch.spec))
    give_up(status_number, {errno, true});
  give_up(status_number,
          {execute(files, arguments.data(), environment.data()), false});
}

std::string marker_of(const std::string& token) {
  return "STOKER_SUPERVISION=" + token;
}

} // namespace stoker::process
