#include "process/leftovers.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

#include "process/cgroup.hpp"
#include "process/command.hpp"

namespace stoker::process {

namespace {

bool carries_marker(pid_t pid, const std::string& token) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/environ",
                   std::ios::binary};
  const auto marker = marker_of(token);
  for (std::string variable; std::getline(in, variable, '\0');)
    if (variable == marker)
      return true;
  return false;
}

} // namespace

Leftovers::Leftovers(State state, bool was_watched)
    : state_(std::move(state)), was_watched_(was_watched) {
  known_.insert(state_.program);
}

bool Leftovers::end_round() {
  // A process can slip through one look at /proc by forking at the right
  // moment; twice in a row is hardly possible.
  constexpr int empty_rounds_needed = 2;
  auto found = find();
  bool any = false;
  for (const auto& entry : found) {
    known_.insert(entry.id);
    send_signal(entry.id, SIGKILL);
    any = any || !entry.dead;
    if (entry.dead && entry.parent == ::getpid())
      ::waitpid(entry.id.pid, nullptr, WNOHANG);
  }
  // After the search: the dead are harder to recognise.
  kill_cgroup(state_.cgroup);
  empty_rounds_ = any ? 0 : empty_rounds_ + 1;
  if (empty_rounds_ < empty_rounds_needed)
    return false;
  remove_cgroup(state_.cgroup);
  return true;
}

std::vector<ProcessEntry> Leftovers::find() const {
  auto all = list_processes();
  std::set<pid_t> ours;
  std::vector<ProcessEntry> result;
  // Parents can have greater pids than their children, so until nothing is new.
  for (bool grown = true; std::exchange(grown, false);) {
    for (const auto& entry : all) {
      if (ours.contains(entry.id.pid))
        continue;
      if (!ours.contains(entry.parent) && !is_root(entry))
        continue;
      ours.insert(entry.id.pid);
      result.push_back(entry);
      grown = true;
    }
  }
  return result;
}

bool Leftovers::is_root(const ProcessEntry& entry) const {
  if (entry.id.pid == ::getpid())
    return false;
  // Strays come to this process, if it lives, so sessions count among its
  // children only.
  auto is_child = entry.parent == ::getpid();
  if (is_child && was_watched_ && entry.session == state_.program.pid)
    return true;
  if (is_in_cgroup(entry.id.pid, cgroup_name(state_.token)))
    return true;
  if (entry.dead)
    return is_child && known_.contains(entry.id);
  return carries_marker(entry.id.pid, state_.token);
}

} // namespace stoker::process
