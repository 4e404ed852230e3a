#include "process/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace stoker::process {

namespace {

/// Calls `f` with every entry of a directory whose name is a number.
template <class F>
void for_each_number(const std::string& directory, F f) {
  struct Close {
    void operator()(DIR* x) const {
      ::closedir(x);
    }
  };
  std::unique_ptr<DIR, Close> dir{::opendir(directory.c_str())};
  if (!dir)
    return;
  while (const auto* entry = ::readdir(dir.get())) {
    std::string_view name{entry->d_name};
    pid_t number = 0;
    auto end = name.data() + name.size();
    auto [stop, error] = std::from_chars(name.data(), end, number);
    if (error == std::errc{} && stop == end)
      f(number);
  }
}

std::string read_small_file(const std::string& path) {
  UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::string result;
  std::array<char, 4096> buffer;
  while (fd) {
    auto n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n <= 0)
      break;
    result.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return result;
}

/// The numbers in a text that separates them by blanks; others count as 0.
std::vector<std::uint64_t> numbers_in(const std::string& text,
                                      std::size_t position) {
  std::vector<std::uint64_t> result;
  while (position < text.size()) {
    auto end = text.find(' ', position);
    if (end == std::string::npos)
      end = text.size();
    if (end > position) {
      std::uint64_t number = 0;
      std::from_chars(text.data() + position, text.data() + end, number);
      result.push_back(number);
    }
    position = end + 1;
  }
  return result;
}

void append_children(pid_t pid, std::vector<ProcessEntry>& out) {
  auto tasks = "/proc/" + std::to_string(pid) + "/task";
  for_each_number(tasks, [&](pid_t task) {
    auto path = tasks + "/" + std::to_string(task) + "/children";
    for (auto child : numbers_in(read_small_file(path), 0))
      if (auto entry = read_process(static_cast<pid_t>(child)))
        out.push_back(*entry);
  });
}

/// Whether the kernel tells the children of a process. Otherwise one has to
/// look at all processes.
bool kernel_lists_children() {
  static const bool result = ::access("/proc/thread-self/children", R_OK) == 0;
  return result;
}

std::vector<ProcessEntry> search_descendants(pid_t root) {
  std::multimap<pid_t, ProcessEntry> by_parent;
  for (const auto& entry : list_processes())
    by_parent.emplace(entry.parent, entry);
  std::vector<ProcessEntry> result;
  auto append = [&](pid_t parent) {
    auto [first, last] = by_parent.equal_range(parent);
    for (auto i = first; i != last; ++i)
      result.push_back(i->second);
  };
  append(root);
  for (std::size_t i = 0; i < result.size(); ++i)
    append(result[i].id.pid);
  return result;
}

} // namespace

std::optional<ProcessEntry> read_process(pid_t pid) {
  auto stat = read_small_file("/proc/" + std::to_string(pid) + "/stat");
  // The name in parentheses may contain anything, parentheses too.
  auto name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size())
    return std::nullopt;
  // proc(5) counts from 1, and the third field is the first after the name.
  auto fields = numbers_in(stat, name_end + 2);
  auto field = [&](std::size_t number) { return fields.at(number - 3); };
  if (fields.size() < 20)
    return std::nullopt;
  auto state = stat[name_end + 2];
  ProcessEntry result;
  result.id = ProcessId{pid, field(22)};
  result.parent = static_cast<pid_t>(field(4));
  result.session = static_cast<pid_t>(field(6));
  // A main thread that has ended looks dead while other threads go on.
  result.stopped = state == 'T';
  result.dead = state == 'X' || (state == 'Z' && field(20) <= 1);
  return result;
}

ProcessId identify(pid_t pid) {
  auto entry = read_process(pid);
  return entry ? entry->id : ProcessId{pid, 0};
}

std::vector<ProcessEntry> list_processes() {
  std::vector<ProcessEntry> result;
  for_each_number("/proc", [&](pid_t pid) {
    if (auto entry = read_process(pid))
      result.push_back(*entry);
  });
  return result;
}

std::vector<ProcessEntry> children_of(pid_t parent) {
  std::vector<ProcessEntry> result;
  if (kernel_lists_children()) {
    append_children(parent, result);
    return result;
  }
  for (const auto& entry : list_processes())
    if (entry.parent == parent)
      result.push_back(entry);
  return result;
}

std::vector<ProcessEntry> descendants_of(pid_t root) {
  if (!kernel_lists_children())
    return search_descendants(root);
  std::vector<ProcessEntry> result;
  append_children(root, result);
  for (std::size_t i = 0; i < result.size(); ++i)
    append_children(result[i].id.pid, result);
  return result;
}

UniqueFd open_process(const ProcessId& id) {
  if (id.pid <= 0)
    return {};
  // glibc declares pidfd_open only since 2.36.
  UniqueFd fd{static_cast<int>(::syscall(SYS_pidfd_open, id.pid, 0))};
  // The pid can have passed to another process before we opened it, not after.
  if (!fd || identify(id.pid) != id)
    return {};
  return fd;
}

void send_signal(const ProcessId& id, int signal) {
  // The kernel sets close-on-exec on each pidfd.
  send_signal(open_process(id), signal);
}

void send_signal(const UniqueFd& process, int signal) {
  if (process)
    ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0);
}

bool reap(const ProcessId& id) {
  auto process = open_process(id);
  siginfo_t info{};
  return process
         && ::waitid(P_PIDFD, static_cast<id_t>(process.get()), &info,
                     WEXITED | WNOHANG)
                == 0
         && info.si_pid != 0;
}

void signal_descendants(int signal) {
  for (const auto& entry : descendants_of(::getpid()))
    send_signal(entry.id, signal);
}

} // namespace stoker::process
