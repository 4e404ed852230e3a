#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "process/process_tree.hpp"
#include "process/unique_fd.hpp"

namespace stoker::executor {

/// How a program ended, and what it has used with the children for which it waited.
struct ReapedProgram {
  /// As wait(2) gives it.
  int status = 0;
  std::int64_t cpu_ms = 0;

  /// Of its largest process; what a process was before it became a program counts.
  std::int64_t peak_memory_mb = 0;
};

/// Knows which processes belong to which of the tasks that run here. A process that loses
/// its parent becomes a child of this process, and then belongs to the task
/// - whose program began its session, or
/// - whose marker is in its environment; or, if neither tells,
/// - which is the only one left of those that ran when the process was started.
///
/// There is one of these in a process, which starts no others in sessions of their own and
/// waits for no child that it does not know: those whose parents died are reaped here.
class TaskTrees {
public:
  /// @param slots How many tasks run at once; they are numbered from 0.
  explicit TaskTrees(int slots);

  /// A task begins. Returns its marker, which its program needs in its environment.
  std::string begin(int slot);

  /// Its program could not be started.
  void cancel(int slot);

  /// Its program runs.
  void started(int slot, pid_t program);

  /// Its program has exited, and nothing of it is left: reaps it.
  ReapedProgram reap(int slot);

  /// Whether no process has lost its parent, so that nothing is left of any task whose
  /// program has exited. One system call.
  [[nodiscard]] bool nothing_is_left() const;

  /// The processes of a task that live, apart from its program and what descends from
  /// that. Reaps dead processes that nobody else does. A process that forks at the right
  /// moment can slip through one look.
  std::vector<process::ProcessEntry> left_of(int slot);

  /// All processes of a task that live. As above.
  std::vector<process::ProcessEntry> all_of(int slot);

private:
  struct Task {
    bool runs = false;
    std::string marker;
    /// 0: it does not run yet.
    pid_t program = 0;
  };

  /// Those that came to this process when their parents died.
  [[nodiscard]] std::vector<process::ProcessEntry> inherited() const;
  [[nodiscard]] bool belongs_to(const process::ProcessEntry& entry,
                                const Task& task) const;
  [[nodiscard]] bool is_program(pid_t pid) const;

  pid_t self_;
  pid_t own_session_;
  /// Markers are for this process alone, so that a task may have executors inside.
  std::string marker_prefix_;
  /// /proc/.../children of the thread that inherits. Nothing, if the kernel has no such
  /// file.
  process::UniqueFd children_;

  mutable std::mutex mutex_;
  std::vector<Task> tasks_;
  std::uint64_t markers_ = 0;
};

} // namespace stoker::executor
