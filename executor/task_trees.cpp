#include "executor/task_trees.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace stoker::executor {

namespace {

using process::ProcessEntry;

std::string children_path(pid_t pid) {
  auto number = std::to_string(pid);
  return "/proc/" + number + "/task/" + number + "/children";
}

/// Whether the environment that a process began with has this.
bool has_variable(pid_t pid, const std::string& variable) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/environ",
                   std::ios::binary};
  for (std::string x; std::getline(in, x, '\0');)
    if (x == variable)
      return true;
  return false;
}

std::int64_t ms_of(const timeval& x) {
  return std::int64_t{x.tv_sec} * 1000 + x.tv_usec / 1000;
}

void append(std::vector<ProcessEntry>& to, std::vector<ProcessEntry> more) {
  to.insert(to.end(), more.begin(), more.end());
}

} // namespace

TaskTrees::TaskTrees(int slots)
    : self_(::getpid()), own_session_(::getsid(0)),
      marker_prefix_("STOKER_TASK_TREE=" + std::to_string(self_) + "-"
                     + std::to_string(process::identify(self_).start) + "-"),
      // Orphans go to the first thread of a process.
      children_(::open(children_path(self_).c_str(), O_RDONLY | O_CLOEXEC)),
      tasks_(static_cast<std::size_t>(slots)) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // While they are ignored, nobody learns how children end.
  struct sigaction action {};
  if (::sigaction(SIGCHLD, nullptr, &action) == 0
      && action.sa_handler == SIG_IGN)
    ::signal(SIGCHLD, SIG_DFL);
}

std::string TaskTrees::begin(int slot) {
  std::lock_guard lock{mutex_};
  auto& task = tasks_[static_cast<std::size_t>(slot)];
  task = {true, marker_prefix_ + std::to_string(markers_++), 0};
  return task.marker;
}

void TaskTrees::cancel(int slot) {
  std::lock_guard lock{mutex_};
  tasks_[static_cast<std::size_t>(slot)].runs = false;
}

void TaskTrees::started(int slot, pid_t program) {
  std::lock_guard lock{mutex_};
  tasks_[static_cast<std::size_t>(slot)].program = program;
}

ReapedProgram TaskTrees::reap(int slot) {
  ReapedProgram result;
  rusage use{};
  std::lock_guard lock{mutex_};
  auto& task = tasks_[static_cast<std::size_t>(slot)];
  ::wait4(task.program, &result.status, 0, &use);
  task.runs = false;
  result.cpu_ms = ms_of(use.ru_utime) + ms_of(use.ru_stime);
  // Of kilobytes.
  result.peak_memory_mb = (std::int64_t{use.ru_maxrss} + 1023) / 1024;
  return result;
}

bool TaskTrees::nothing_is_left() const {
  char byte = 0;
  return children_ && ::pread(children_.get(), &byte, 1, 0) == 0;
}

std::vector<ProcessEntry> TaskTrees::left_of(int slot) {
  std::lock_guard lock{mutex_};
  const auto& task = tasks_[static_cast<std::size_t>(slot)];
  std::vector<ProcessEntry> result;
  for (const auto& entry : inherited()) {
    // Under the lock, so that no pid is reaped that another process got meanwhile.
    if (entry.dead)
      ::waitpid(entry.id.pid, nullptr, WNOHANG);
    else if (belongs_to(entry, task)) {
      result.push_back(entry);
      append(result, process::descendants_of(entry.id.pid));
    }
  }
  std::erase_if(result, [](const ProcessEntry& x) { return x.dead; });
  return result;
}

std::vector<ProcessEntry> TaskTrees::all_of(int slot) {
  auto result = left_of(slot);
  pid_t program = 0;
  {
    std::lock_guard lock{mutex_};
    program = tasks_[static_cast<std::size_t>(slot)].program;
  }
  if (auto entry = process::read_process(program))
    result.push_back(*entry);
  append(result, process::descendants_of(program));
  std::erase_if(result, [](const ProcessEntry& x) { return x.dead; });
  return result;
}

std::vector<ProcessEntry> TaskTrees::inherited() const {
  std::vector<ProcessEntry> result;
  if (children_) {
    std::ifstream in{children_path(self_)};
    for (pid_t pid = 0; in >> pid;)
      if (auto entry = process::read_process(pid))
        result.push_back(*entry);
  } else {
    result = process::list_processes();
  }
  // A process leaves a session for one of its own, never for ours.
  std::erase_if(result, [this](const ProcessEntry& x) {
    return x.parent != self_ || x.session == own_session_
           || is_program(x.id.pid);
  });
  return result;
}

bool TaskTrees::belongs_to(const ProcessEntry& entry, const Task& task) const {
  for (const auto& x : tasks_)
    if (x.runs && x.program == entry.session)
      return &x == &task;
  for (const auto& x : tasks_)
    if (x.runs && has_variable(entry.id.pid, x.marker))
      return &x == &task;
  return std::none_of(tasks_.begin(), tasks_.end(), [&](const Task& x) {
    return &x != &task && x.runs
           && (x.program == 0
               || process::identify(x.program).start <= entry.id.start);
  });
}

bool TaskTrees::is_program(pid_t pid) const {
  return std::any_of(tasks_.begin(), tasks_.end(), [pid](const Task& x) {
    return x.runs && x.program == pid;
  });
}

} // namespace stoker::executor
