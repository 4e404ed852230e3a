#include "process/leftovers.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

#include "process/cgroup.hpp"
#include "process/command.hpp"
#include "process/launch_mark.hpp"

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

Leftovers::Leftovers(State state, bool was_watched, std::set<ProcessId> seen)
    : state_(std::move(state)), was_watched_(was_watched),
      own_mark_(mark_carried_by(::getpid()).value_or(0)),
      own_session_(::getsid(0)), known_(std::move(seen)) {
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
    // A child that has ended may have forked just before.
    any = !entry.dead || (entry.parent == ::getpid() && reap(entry.id)) || any;
  }
  any = end_children() || any;
  // After the search: the dead are harder to recognise.
  kill_cgroup(state_.cgroup);
  empty_rounds_ = any ? 0 : empty_rounds_ + 1;
  if (empty_rounds_ < empty_rounds_needed)
    return false;
  remove_cgroup(state_.cgroup);
  return true;
}

bool Leftovers::end_children() {
  // A process that forks and exits hands its child to this process, again and again.
  constexpr int looks_max = 100;
  bool result = false;
  bool any = true;
  for (int i = 0; i < looks_max && std::exchange(any, false); ++i)
    for (const auto& entry : children_of(::getpid())) {
      if (!is_root(entry))
        continue;
      // One that cannot be reaped, as under a debugger, does not keep others waiting.
      if (entry.dead && !reap(entry.id))
        continue;
      any = result = true;
      if (entry.dead)
        continue;
      known_.insert(entry.id);
      send_signal(entry.id, SIGKILL);
    }
  return result;
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
  if (entry.id == state_.supervisor || entry.id == state_.guard)
    return true;
  auto is_child = entry.parent == ::getpid();
  auto of_session = [&](const ProcessId& id) {
    return id.pid != 0 && entry.session == id.pid;
  };
  if (is_child && was_watched_
      && (of_session(state_.program) || of_session(state_.guard)))
    return true;
  auto mark = mark_carried_by(entry.id.pid);
  if (state_.mark != 0 && mark == state_.mark)
    return true;
  // A program can lower it, down to 0.
  if (is_child && mark && *mark < own_mark_ && entry.session != own_session_)
    return true;
  if (is_in_cgroup(entry.id.pid, cgroup_name(state_.token)))
    return true;
  if (entry.dead)
    return is_child && known_.contains(entry.id);
  return carries_marker(entry.id.pid, state_.token);
}

} // namespace stoker::process
