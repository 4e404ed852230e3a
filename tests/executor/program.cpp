// One executable for everything that the tests start, chosen by its first argument.

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "executor/task_slots.hpp"

namespace {

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

void await_file(const std::string& file) {
  while (::access(file.c_str(), F_OK) != 0)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

/// Waits until a process has written its PID to the file.
void await_pid(const std::string& file) {
  struct stat status {};
  while (::stat(file.c_str(), &status) != 0 || status.st_size == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

/// Four processes that ignore TERM: the program, its child, a grandchild in a session of
/// its own, and a daemon that no longer has a parent.
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

/// Exits with 7 and leaves a child behind that ignores TERM.
int leave_child(const Arguments& arguments) {
  if (::fork() == 0) {
    ::signal(SIGTERM, SIG_IGN);
    append_pid(arguments.at(0));
    sleep_forever();
  }
  await_pid(arguments.at(0));
  return 7;
}

/// Exits with 0 and leaves a daemon behind; "bare": one without its environment.
int leave_daemon(const Arguments& arguments) {
  const auto& file = arguments.at(0);
  if (::fork() == 0) {
    ::setsid();
    if (::fork() != 0)
      ::_exit(0);
    if (arguments.size() > 1 && arguments[1] == "bare") {
      const char* words[]
          = {"/proc/self/exe", "note_pid", file.c_str(), nullptr};
      const char* none[] = {nullptr};
      ::execve(words[0], const_cast<char**>(words), const_cast<char**>(none));
      std::abort();
    }
    append_pid(file);
    sleep_forever();
  }
  await_pid(file);
  return 0;
}

/// Leaves many dead processes to others, and then waits for a file.
int leave_dead(const Arguments& arguments) {
  for (int i = 0; i < 50; ++i) {
    auto child = ::fork();
    if (child == 0) {
      if (::fork() == 0) {
        append_pid(arguments.at(0));
        ::_exit(0);
      }
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
  await_file(arguments.at(1));
  return 0;
}

/// Tells what a program inherits that is not in its environment.
int describe(const Arguments&) {
  std::printf("session leader: %d\n", ::getsid(0) == ::getpid());
  std::printf("group leader: %d\n", ::getpgrp() == ::getpid());
  int death_signal = 0;
  ::prctl(PR_GET_PDEATHSIG, &death_signal);
  std::printf("signal at the parent's death: %d\n", death_signal);
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

/// Writes so many bytes to a descriptor, without a newline.
int write_bytes(const Arguments& arguments) {
  auto fd = std::stoi(arguments.at(0));
  auto rest = static_cast<std::size_t>(std::stoull(arguments.at(1)));
  const std::string block(std::size_t{64} * 1024, 'x');
  while (rest > 0) {
    auto n = ::write(fd, block.data(), std::min(rest, block.size()));
    if (n <= 0)
      return 6;
    rest -= static_cast<std::size_t>(n);
  }
  return 0;
}

/// Notes its pid, closes its input, and waits for a file.
int close_input(const Arguments& arguments) {
  ::close(0);
  append_pid(arguments.at(0));
  await_file(arguments.at(1));
  return 0;
}

/// Says goodbye when it is told to end.
int say_goodbye(const Arguments& arguments) {
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &term, nullptr);
  append_pid(arguments.at(0));
  int signal = 0;
  ::sigwait(&term, &signal);
  std::fprintf(stderr, "goodbye\n");
  return 0;
}

/// An executor: runs a stubborn task until it is killed.
int executor(const Arguments& arguments) {
  using namespace stoker::executor;
  TaskSlots slots{{}, [](const stoker::TaskAttempt&, const TaskEvent&) {}};
  TaskProgram program;
  program.arguments = {"/proc/self/exe", "stubborn", arguments.at(0)};
  if (!slots.add({}, std::move(program)))
    return 1;
  sleep_forever();
}

} // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const Arguments rest(argv + std::min(argc, 2), argv + argc);
  if (mode == "stubborn")
    return stubborn(rest);
  if (mode == "leave_child")
    return leave_child(rest);
  if (mode == "leave_daemon")
    return leave_daemon(rest);
  if (mode == "leave_dead")
    return leave_dead(rest);
  if (mode == "describe")
    return describe(rest);
  if (mode == "write")
    return write_bytes(rest);
  if (mode == "close_input")
    return close_input(rest);
  if (mode == "say_goodbye")
    return say_goodbye(rest);
  if (mode == "executor")
    return executor(rest);
  if (mode == "note_pid")
    append_pid(rest.at(0));
  if (mode == "note_pid" || mode == "sleep")
    sleep_forever();
  std::fprintf(stderr, "unknown mode '%s'\n", mode.c_str());
  return 64;
}
