#include "tests/cluster/threads.hpp"

#include <filesystem>
#include <system_error>

#include "tests/cluster/process.hpp"

namespace stoker::test {

namespace {

namespace fs = std::filesystem;

std::string first_line_of(const fs::path& file) {
  auto text = contents_of(file);
  return text.substr(0, text.find('\n'));
}

/// "S" and such, which follows the name in brackets.
std::string state_of(const fs::path& thread) {
  auto text = contents_of(thread / "stat");
  auto end = text.rfind(')');
  return end == std::string::npos ? "?" : text.substr(end + 2, 1);
}

} // namespace

std::string threads_of(pid_t pid) {
  std::string result;
  std::error_code error;
  fs::directory_iterator i{fs::path{"/proc"} / std::to_string(pid) / "task",
                           error};
  for (fs::directory_iterator end; !error && i != end; i.increment(error)) {
    const auto& thread = i->path();
    result += "thread " + thread.filename().string() + ' '
              + first_line_of(thread / "comm") + ": " + state_of(thread)
              + ", waits in " + first_line_of(thread / "wchan")
              + ", system call " + first_line_of(thread / "syscall") + '\n';
  }
  return result;
}

} // namespace stoker::test
