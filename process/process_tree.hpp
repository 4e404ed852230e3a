#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "process/unique_fd.hpp"

namespace stoker::process {

/// Names a process for good: the kernel gives pids away again, but not
/// together with the same start time.
struct ProcessId {
  pid_t pid = 0;
  /// In clock ticks since boot, as /proc/PID/stat tells it.
  std::uint64_t start = 0;
  friend auto operator<=>(const ProcessId&, const ProcessId&) = default;
};

/// One process, as /proc/PID/stat tells it.
struct ProcessEntry {
  ProcessId id;
  pid_t parent = 0;
  pid_t session = 0;
  /// Whether only its exit status is left, waiting to be reaped.
  bool dead = false;
  /// Whether a signal such as SIGSTOP has stopped it.
  bool stopped = false;
};

/// Reads one process, dead ones included; `nullopt` if there is none.
std::optional<ProcessEntry> read_process(pid_t pid);

/// The identity of a process; its start is 0 if there is none.
ProcessId identify(pid_t pid);

/// All processes of the machine that this one may see.
std::vector<ProcessEntry> list_processes();

/// The children of a process, dead ones included.
std::vector<ProcessEntry> children_of(pid_t parent);

/// The children of `root`, their children, and so on. A snapshot: processes
/// may fork while it is taken, so who wants to end them all has to repeat it.
std::vector<ProcessEntry> descendants_of(pid_t root);

/// A pidfd, which becomes readable when the process exits. Holds nothing if
/// that process is gone.
UniqueFd open_process(const ProcessId& id);

/// Sends a signal, never to another process that got the same pid meanwhile.
void send_signal(const ProcessId& id, int signal);

/// The same to what `open_process` has found.
void send_signal(const UniqueFd& process, int signal);

/// Reaps a child that has exited. Returns false if `id` names no dead child of this process,
/// or one that cannot be reaped yet.
bool reap(const ProcessId& id);

/// Sends a signal to all descendants of this process.
void signal_descendants(int signal);

} // namespace stoker::process
