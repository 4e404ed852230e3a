#include "tests/cluster/process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "process/process_tree.hpp"
#include "tests/support/catch.hpp"

namespace stoker::test {

namespace {

constexpr id_t nobody = 65534;

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& text : strings)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

void open_as(int number, const std::string& path, int flags) {
  auto fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (fd < 0 || ::dup2(fd, number) != number)
    ::_exit(125);
}

[[noreturn]] void become(const ProcessSpec& spec, char* const* arguments,
                         char* const* environment) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  open_as(0, "/dev/null", O_RDONLY);
  open_as(1, spec.out_file, O_WRONLY | O_CREAT | O_TRUNC);
  open_as(2, spec.err_file, O_WRONLY | O_CREAT | O_TRUNC);
  if (::chdir(spec.directory.c_str()) != 0)
    ::_exit(125);
  if (spec.unprivileged && ::getuid() == 0
      && (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0
          || ::setuid(nobody) != 0))
    ::_exit(125);
  ::execvpe(arguments[0], arguments, environment);
  ::_exit(125);
}

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? -WTERMSIG(wait_status)
                                  : WEXITSTATUS(wait_status);
}

} // namespace

bool lives(pid_t pid) {
  auto entry = process::read_process(pid);
  return entry && !entry->dead;
}

std::int64_t now_ms() {
  return std::chrono::floor<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string contents_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  // A stream notes an error, as of a process that ends meanwhile; its buffer throws it.
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

Process::Process(ProcessSpec spec) : spec_(std::move(spec)) {
  auto words = spec_.words;
  std::vector<std::string> variables;
  for (const auto& [name, value] : spec_.environment)
    variables.push_back(name + '=' + value);
  auto arguments = pointers_to(words);
  auto environment = pointers_to(variables);
  pid_ = ::fork();
  if (pid_ == 0)
    become(spec_, arguments.data(), environment.data());
  INFO("cannot fork: errno " << errno);
  REQUIRE(pid_ > 0);
  // Here too, so that it is done when this function returns.
  ::setpgid(pid_, pid_);
}

Process::~Process() {
  if (pid_ <= 0 || status_)
    return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool Process::handles(int signal) const {
  // Before it has become the program, the handlers are those of this test.
  auto exe = [](const std::string& pid) {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/" + pid + "/exe", ignored);
  };
  if (exe(std::to_string(pid_)) == exe("self"))
    return false;
  std::ifstream in{"/proc/" + std::to_string(pid_) + "/status"};
  for (std::string name, value; in >> name && std::getline(in, value);)
    if ((name == "SigBlk:" || name == "SigCgt:")
        && (std::stoull(value, nullptr, 16) >> (signal - 1) & 1U) != 0)
      return true;
  return false;
}

void Process::send(int signal) {
  if (running())
    ::kill(pid_, signal);
}

void Process::send_to_group(int signal) {
  if (running())
    ::kill(-pid_, signal);
}

Result Process::result(std::chrono::milliseconds timeout) {
  INFO(description());
  auto in_time = eventually([this] { return !running(); }, timeout);
  INFO("standard output: " << out() << "\nstandard error: " << err());
  REQUIRE(in_time);
  return {*status_, out(), err()};
}

std::optional<int> Process::poll_status() {
  int wait_status = 0;
  if (!status_ && ::waitpid(pid_, &wait_status, WNOHANG) == pid_)
    status_ = status_of(wait_status);
  return status_;
}

std::string Process::description() const {
  std::string result;
  for (const auto& word : spec_.words)
    result += (result.empty() ? "" : " ") + word;
  return result;
}

} // namespace stoker::test
