#include "tools/benchmark/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace stoker::benchmark {

namespace {

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status)
                                  : WEXITSTATUS(wait_status);
}

[[noreturn]] void become(char* const* arguments, const std::string& output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!output.empty()) {
    auto fd = ::open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ::dup2(fd, STDOUT_FILENO) < 0
        || ::dup2(fd, STDERR_FILENO) < 0)
      ::_exit(125);
  }
  ::execv(arguments[0], arguments);
  ::_exit(127);
}

/// As exec takes them; they are those of `words`.
std::vector<char*> arguments_of(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (auto& word : words)
    result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

} // namespace

ChildProcess::ChildProcess(std::vector<std::string> words,
                           const std::string& output) {
  auto arguments = arguments_of(words);
  pid_ = ::fork();
  if (pid_ == 0)
    become(arguments.data(), output);
  if (pid_ < 0)
    throw std::runtime_error("cannot start a process");
}

ChildProcess::~ChildProcess() {
  if (wait_for(std::chrono::milliseconds{0}))
    return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::optional<int> ChildProcess::wait_for(std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds pause{5};
  auto deadline = std::chrono::steady_clock::now() + limit;
  while (!status_) {
    int wait_status = 0;
    if (::waitpid(pid_, &wait_status, WNOHANG) == pid_)
      status_ = status_of(wait_status);
    else if (std::chrono::steady_clock::now() >= deadline)
      break;
    else
      std::this_thread::sleep_for(pause);
  }
  return status_;
}

int run_to_end(std::vector<std::string> words) {
  auto arguments = arguments_of(words);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (auto fd : {STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  auto error = ::posix_spawn(&pid, arguments[0], &actions, nullptr,
                             arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int wait_status = 0;
  if (error != 0 || ::waitpid(pid, &wait_status, 0) != pid)
    throw std::runtime_error("cannot run " + words.front());
  return status_of(wait_status);
}

ProcessUse use_of(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/stat"};
  std::string line;
  std::getline(in, line);
  // The second field is a name in parentheses that may hold anything.
  auto end = line.rfind(')');
  if (end == std::string::npos)
    throw std::runtime_error("process " + std::to_string(pid) + " has ended");
  std::istringstream rest{line.substr(end + 1)};
  std::vector<std::string> fields;
  for (std::string field; rest >> field;)
    fields.push_back(field);
  // proc(5) counts from 1, and this from the third: utime is 14, stime 15,
  // num_threads 20, rss 24.
  auto value
      = [&](std::size_t number) { return std::stod(fields.at(number - 3)); };
  auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  return {(value(14) + value(15)) / ticks, value(24) * page,
          static_cast<int>(value(20))};
}

TemporaryDirectory::TemporaryDirectory()
    : path_(std::filesystem::temp_directory_path() / "stoker-bench.XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr)
    throw std::runtime_error("cannot make a directory for temporary files");
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

double own_cpu_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  auto seconds = [](const timeval& x) {
    return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

std::string own_path() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

} // namespace stoker::benchmark
