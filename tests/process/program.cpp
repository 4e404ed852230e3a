// One executable for everything that the tests start, chosen by its first
// argument.

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "process/monitor.hpp"
#include "process/process_tree.hpp"
#include "process/supervise.hpp"

namespace {

using namespace stoker::process;

using Arguments = std::vector<std::string>;

[[noreturn]] void sleep_forever() {
  for (;;)
    ::pause();
}

void append_pid(const std::string& file) {
  auto line = std::to_string(::getpid()) + "\n";
  auto fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0 || ::write(fd, line.data(), line.size()) < 0)
    std::abort();
  ::close(fd);
}

/// Waits until a process has written its PID to the file.
void await_pid(const std::string& file) {
  struct stat status {};
  while (::stat(file.c_str(), &status) != 0 || status.st_size == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

/// Four processes that ignore TERM: the program, its child, a grandchild in a
/// session of its own, and a daemon that no longer has a parent.
int stubborn(const Arguments& arguments) {
  const auto& file = arguments.at(0);
  ::signal(SIGTERM, SIG_IGN);
  if (::fork() == 0) {
    if (::fork() == 0)
      ::setsid();
    append_pid(file);
    sleep_forever();
  }
  if (::fork() == 0) {
    ::setsid();
    if (::fork() != 0)
      ::_exit(0);
    append_pid(file);
    sleep_forever();
  }
  append_pid(file);
  sleep_forever();
}

/// Does what a process can do to be found no more: a session of its own, no environment,
/// the control group at the top, a lower limit, and children that take its place.
[[noreturn]] void hide(const Arguments& how) {
  auto has = [&](const char* x) {
    return std::find(how.begin(), how.end(), x) != how.end();
  };
  ::setsid();
  constexpr rlim_t low = 1000;
  for (const auto& [name, limit] : {std::pair{"limit", low}, {"lowest", 0}})
    if (const rlimit both{limit, limit}; has(name))
      ::setrlimit(RLIMIT_RTTIME, &both);
  if (has("cgroup"))
    for (const auto* file :
         {"/sys/fs/cgroup/unified/cgroup.procs", "/sys/fs/cgroup/cgroup.procs"})
      if (auto fd = ::open(file, O_WRONLY | O_CLOEXEC); fd >= 0) {
        [[maybe_unused]] auto n = ::write(fd, "0", 1);
        ::close(fd);
      }
  if (has("forks")) {
    // Not for ever, if no process ends it.
    const std::chrono::seconds most{60};
    const auto until = std::chrono::steady_clock::now() + most;
    while (std::chrono::steady_clock::now() < until) {
      if (::fork() != 0)
        ::_exit(0);
      ::setsid();
    }
    ::_exit(0);
  }
  std::string name = "hidden", mode = "sleep";
  char* arguments[] = {name.data(), mode.data(), nullptr};
  char* environment[] = {nullptr};
  ::execve("/proc/self/exe", arguments, environment);
  ::_exit(127);
}

/// Waits until the state of this launch says that the program runs, stops the keepers, and
/// makes it say that the program has ended.
void forge_end(const std::filesystem::path& state, pid_t guard,
               pid_t supervisor) {
  const std::string running = "\"running\"";
  std::string text;
  auto place = std::string::npos;
  while (place == std::string::npos) {
    std::ifstream in{state};
    text.assign(std::istreambuf_iterator<char>{in}, {});
    place = text.find(running);
  }
  ::kill(guard, SIGSTOP);
  ::kill(supervisor, SIGSTOP);
  std::ofstream{state} << text.replace(place, running.size(), "\"ended\"");
}

/// Leaves a child that hides, and kills its supervisor and guard.
int escape(const Arguments& arguments) {
  const auto& file = arguments.at(0);
  if (::fork() == 0) {
    if (::fork() != 0)
      ::_exit(0);
    append_pid(file);
    hide(arguments);
  }
  await_pid(file);
  auto supervisor = ::getppid();
  auto guard = read_process(supervisor)->parent;
  if (arguments.back() == "forge")
    forge_end(std::filesystem::path{file}.parent_path() / "x/state.json", guard,
              supervisor);
  ::kill(guard, SIGKILL);
  ::kill(supervisor, SIGKILL);
  sleep_forever();
}

/// Stops its supervisor at once.
int stop_supervisor(const Arguments&) {
  ::kill(::getppid(), SIGSTOP);
  sleep_forever();
}

/// Exits and leaves a child behind that ignores TERM.
int leave_child(const Arguments& arguments) {
  if (::fork() == 0) {
    ::signal(SIGTERM, SIG_IGN);
    append_pid(arguments.at(0));
    sleep_forever();
  }
  await_pid(arguments.at(0));
  return 7;
}

/// Tells what a program inherits that is not in its environment.
int describe(const Arguments&) {
  std::printf("session leader: %d\n", ::getsid(0) == ::getpid());
  std::printf("group leader: %d\n", ::getpgrp() == ::getpid());
  char byte = 0;
  std::printf("stdin at end: %d\n", ::read(0, &byte, 1) == 0);
  sigset_t blocked;
  ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
  int unusual = 0;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE)
      continue; // a sanitizer's runtime handles these
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0)
      unusual += action.sa_handler != SIG_DFL;
    unusual += ::sigismember(&blocked, signal) == 1;
  }
  std::printf("unusual signals: %d\n", unusual);
  int descriptors = 0;
  for (int fd = 3; fd < 1024; ++fd)
    descriptors += ::fcntl(fd, F_GETFD) >= 0;
  std::printf("descriptors: %d\n", descriptors);
  return 0;
}

/// Writes numbered lines of 16 bytes.
int count_lines(const Arguments& arguments) {
  auto lines = std::stol(arguments.at(0));
  for (long i = 0; i < lines; ++i)
    std::printf("line %010ld\n", i);
  return 0;
}

/// Writes 4 KiB at a time until a file appears, at most for a minute.
int write_until(const Arguments& arguments) {
  std::string block(4096, 'x');
  block.back() = '\n';
  for (int i = 0; i < 60'000; ++i) {
    if (::access(arguments.at(0).c_str(), F_OK) == 0)
      return 5;
    if (::write(1, block.data(), block.size()) < 0)
      return 6;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return 4;
}

/// Writes its arguments in one line, and goes on.
int say(const Arguments& arguments) {
  std::string line;
  for (const auto& x : arguments)
    line += (line.empty() ? "" : " ") + x;
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
  sleep_forever();
}

/// A worker: starts a program in a directory and watches it until killed.
int worker(const Arguments& arguments, bool is_spark) {
  Monitor monitor{{}, [](const std::string&, const Report&) {}};
  LaunchSpec spec;
  spec.title = "from-a-worker";
  spec.directory = arguments.at(0);
  spec.orphan_grace = std::chrono::milliseconds{std::stol(arguments.at(1))};
  spec.arguments.assign(arguments.begin() + 2, arguments.end());
  spec.spark_worker_port = is_spark;
  if (!monitor.start("program", spec))
    return 1;
  sleep_forever();
}

/// Has a child compute for so many milliseconds, and the kernel reap it.
int ignore_children(const Arguments& arguments) {
  ::signal(SIGCHLD, SIG_IGN);
  if (::fork() == 0) {
    auto most = std::stol(arguments.at(0)) * (CLOCKS_PER_SEC / 1000);
    while (std::clock() < most)
      ;
    ::_exit(0);
  }
  // Returns when no child is left, with an error.
  ::wait(nullptr);
  return 0;
}

/// Keeps children that have ended until standard input ends. Argument: their number.
int crowd(const Arguments& arguments) {
  for (auto left = std::stoi(arguments.at(0)); left > 0; --left)
    if (::fork() == 0)
      ::_exit(0);
  std::getchar();
  while (::wait(nullptr) > 0) {
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const Arguments rest(argv + std::min(argc, 2), argv + argc);
  if (mode == "supervise") {
    if (std::getenv("STOKER_TEST_HANGS_AT_EXIT") != nullptr)
      std::atexit([] { sleep_forever(); });
    return supervise_main();
  }
  if (mode == "stubborn")
    return stubborn(rest);
  if (mode == "escape")
    return escape(rest);
  if (mode == "stop_supervisor")
    return stop_supervisor(rest);
  if (mode == "leave_child")
    return leave_child(rest);
  if (mode == "ignore_children")
    return ignore_children(rest);
  if (mode == "crowd")
    return crowd(rest);
  if (mode == "describe")
    return describe(rest);
  if (mode == "count_lines")
    return count_lines(rest);
  if (mode == "write_until")
    return write_until(rest);
  if (mode == "say")
    return say(rest);
  if (mode == "worker" || mode == "spark_worker")
    return worker(rest, mode == "spark_worker");
  if (mode == "exit")
    return std::stoi(rest.at(0));
  if (mode == "sleep")
    sleep_forever();
  std::fprintf(stderr, "unknown mode '%s'\n", mode.c_str());
  return 64;
}
