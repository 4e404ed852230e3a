#include "process/cgroup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace stoker::process {

namespace {

struct Mount {
  /// Which part of the hierarchy is mounted, "/" for all of it.
  std::string root;
  std::string directory;
};

/// Finds where the unified hierarchy is mounted, see proc(5).
Mount find_mount() {
  std::ifstream in{"/proc/self/mountinfo"};
  for (std::string line; std::getline(in, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos)
      continue;
    std::istringstream fields{line};
    std::string skipped;
    Mount result;
    fields >> skipped >> skipped >> skipped >> result.root >> result.directory;
    return result;
  }
  return {};
}

/// The path of a process's group within the hierarchy.
std::string find_group(const std::string& pid) {
  constexpr std::string_view prefix = "0::";
  std::ifstream in{"/proc/" + pid + "/cgroup"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(prefix))
      return line.substr(prefix.size());
  return {};
}

void write_file(const char* path, const char* text) {
  auto fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  // Failing is fine: see the top of the header.
  [[maybe_unused]] auto written = ::write(fd, text, std::strlen(text));
  ::close(fd);
}

} // namespace

std::string cgroup_name(const std::string& token) {
  return "stoker-" + token;
}

std::string create_cgroup(const std::string& name) {
  auto mount = find_mount();
  auto own = find_group("self");
  if (mount.directory.empty() || own.empty())
    return {};
  if (mount.root != "/") {
    if (!own.starts_with(mount.root))
      return {};
    own.erase(0, mount.root.size());
  }
  auto path = mount.directory + (own == "/" ? "" : own) + "/" + name;
  return ::mkdir(path.c_str(), 0755) == 0 ? path : std::string{};
}

void join_cgroup(const std::string& directory) {
  if (!directory.empty())
    write_file((directory + "/cgroup.procs").c_str(), "0");
}

void kill_cgroup(const std::string& directory) {
  if (!directory.empty())
    write_file((directory + "/cgroup.kill").c_str(), "1");
}

bool is_in_cgroup(pid_t pid, const std::string& name) {
  auto group = find_group(std::to_string(pid));
  return group.find("/" + name) != std::string::npos;
}

std::optional<std::int64_t> peak_memory(const std::string& directory) {
  std::int64_t result = 0;
  if (directory.empty()
      || !(std::ifstream{directory + "/memory.peak"} >> result))
    return std::nullopt;
  return result;
}

std::optional<std::chrono::microseconds>
cpu_time(const std::string& directory) {
  if (directory.empty())
    return std::nullopt;
  std::ifstream in{directory + "/cpu.stat"};
  std::string name;
  for (std::chrono::microseconds::rep value = 0; in >> name >> value;)
    if (name == "usage_usec")
      return std::chrono::microseconds{value};
  return std::nullopt;
}

void remove_cgroup(const std::string& directory) {
  if (directory.empty())
    return;
  std::error_code error;
  std::vector<std::string> below;
  for (std::filesystem::directory_iterator i{directory, error}, end;
       !error && i != end; i.increment(error))
    if (i->is_directory(error))
      below.push_back(i->path().string());
  for (const auto& group : below)
    remove_cgroup(group);
  ::rmdir(directory.c_str());
}

} // namespace stoker::process
