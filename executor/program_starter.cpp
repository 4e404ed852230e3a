#include "executor/program_starter.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>
#include <vector>

#include "process/open_files.hpp"
#include "process/program_files.hpp"

// The child shares memory with the threads of this process, and its stack is nothing that
// a sanitizer knows.
#if defined(__clang__)
#define STOKER_IN_CHILD __attribute__((no_sanitize("address", "thread")))
#else
#define STOKER_IN_CHILD                                                        \
  __attribute__((no_sanitize("address"), no_sanitize("thread")))
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STOKER_THREAD_SANITIZER
#endif
#endif

#if defined(STOKER_THREAD_SANITIZER)
// The sanitizer takes clone(2) for fork(2); it does not know the C library's own name.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __clone(int (*function)(void*), void* stack, int flags,
                       void* argument, ...);
#define STOKER_CLONE __clone
#else
#define STOKER_CLONE ::clone
#endif

namespace stoker::executor {

namespace {

/// Everything that the child needs, made before it exists: it must not take memory.
struct ChildPlan {
  pid_t parent = 0;
  std::array<int, 3> descriptors{};
  std::uint64_t open_files_max = 0;
  const char* directory = nullptr;
  bool directory_required = false;
  std::vector<const char*> files;
  std::vector<char*> arguments;
  std::vector<char*> environment;

  // What the child says.
  int directory_error = 0;
  StartFailure failure;
};

/// As "NAME=value", the marker in place of one that is there.
std::vector<std::string> environment_of(const TaskProgram& program,
                                        const std::string& marker) {
  auto marked = marker.substr(0, marker.find('='));
  std::vector<std::string> result{marker};
  for (const auto& [name, value] : program.environment)
    if (name != marked)
      result.push_back(name + "=" + value);
  return result;
}

/// As execve(2) takes them, which changes none.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const auto& text : texts)
    result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// -- in the child -------------------------------------------------------------

// Calls of the kernel instead of the library, where a sanitizer replaces the library's
// functions: it would note in the memory of the parent what changes in the child.

STOKER_IN_CHILD bool arrange_descriptors(ChildPlan& plan) {
  constexpr int above_standard = 10;
  // No target may still be a source.
  for (int& fd : plan.descriptors)
    if (fd <= STDERR_FILENO)
      fd = static_cast<int>(
          ::syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, above_standard));
  for (int target = 0; target < 3; ++target)
    if (::syscall(SYS_dup3, plan.descriptors[static_cast<std::size_t>(target)],
                  target, 0)
        != target)
      return false;
  // All of ours are close-on-exec. This is for those that a library may have opened.
  ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
  return true;
}

/// execve(2) resets handlers, but not what is ignored.
STOKER_IN_CHILD void reset_signals() {
  // As the kernel has them: handler, flags, restorer, mask.
  constexpr unsigned long default_action[4]{};
  constexpr std::uint64_t no_signals = 0;
  for (int signal = 1; signal < NSIG; ++signal)
    ::syscall(SYS_rt_sigaction, signal, default_action, nullptr,
              sizeof no_signals);
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr,
            sizeof no_signals);
}

/// Tries one after the other. Returns only if none could be executed.
STOKER_IN_CHILD int execute(const ChildPlan& plan) {
  int result = ENOENT;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    ::execve(plan.files[i], plan.arguments.data(), plan.environment.data());
    if (errno == EACCES)
      result = EACCES; // tells more than that others do not exist
    else if (errno != ENOENT && errno != ENOTDIR)
      return errno;
  }
  return result;
}

STOKER_IN_CHILD int run_child(void* argument) {
  constexpr int not_started = 127;
  auto& plan = *static_cast<ChildPlan*>(argument);
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent)
    return not_started; // it died before the line above
  if (!arrange_descriptors(plan)) {
    plan.failure = {errno, false};
    return not_started;
  }
  reset_signals();
  process::limit_open_files(plan.open_files_max);
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0) {
    plan.directory_error = errno;
    if (plan.directory_required) {
      plan.failure = {errno, true};
      return not_started;
    }
  }
  plan.failure = {execute(plan), false};
  return not_started;
}

} // namespace

ProgramStarter::ProgramStarter() : stack_(new char[stack_bytes]) {
}

std::variant<StartedProgram, StartFailure>
ProgramStarter::start(const TaskProgram& program, const std::string& marker,
                      const ProgramDescriptors& descriptors) {
  auto files
      = process::program_files(program.arguments.front(), program.environment);
  auto environment = environment_of(program, marker);
  ChildPlan plan;
  plan.parent = ::getpid();
  plan.descriptors = {descriptors.in, descriptors.out, descriptors.err};
  plan.open_files_max = program.open_files_max;
  if (!program.working_directory.empty())
    plan.directory = program.working_directory.c_str();
  plan.directory_required = program.working_directory_required;
  for (const auto& file : files)
    plan.files.push_back(file.c_str());
  plan.arguments = pointers_to(program.arguments);
  plan.environment = pointers_to(environment);

  int process = -1;
  // The stack grows downwards; calls want its begin at a multiple of 16.
  auto top = reinterpret_cast<std::uintptr_t>(stack_.get()) + stack_bytes;
  auto pid = STOKER_CLONE(
      run_child, reinterpret_cast<void*>(top & ~std::uintptr_t{15}),
      CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &plan, &process);
  if (pid < 0)
    return StartFailure{errno, false};
  StartedProgram result{pid, process::UniqueFd{process}, plan.directory_error};
  if (plan.failure.error == 0)
    return result;
  siginfo_t ignored;
  ::waitid(P_PIDFD, static_cast<id_t>(process), &ignored, WEXITED);
  return plan.failure;
}

} // namespace stoker::executor
