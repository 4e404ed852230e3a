#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "messages/task.hpp"

namespace stoker::executor {

/// What runs a task: a slot for programs, or one for functions. There are as many of
/// each as the executor has cores.
enum class TaskKind { program, function };

/// Which tasks of an executor begin, in the order in which they came: as many as it has
/// cores for. Those of one core are sent ahead to the slots, where they begin without
/// further ado.
///
/// Invariant: tasks of several cores, and those of another kind than some that were
/// begun, begin when the cores of all that were begun leave room for them.
class TaskQueue {
public:
  /// So many tasks of one core may wait at the slots.
  static constexpr std::size_t ahead_max = 1024;

  explicit TaskQueue(int cores) : cores_(cores) {
  }

  void know(StageId stage, int cores, TaskKind kind = TaskKind::program) {
    stages_[stage] = {cores, kind};
  }
  void forget(StageId stage) {
    stages_.erase(stage);
  }

  void add(LaunchTask task);

  /// The next one that begins, or waits at the slots; nothing: others have to end
  /// first.
  std::optional<LaunchTask> next();

  /// It is not at the slots any more. Unknown ones are passed over.
  void ended(const TaskAttempt& id);

  /// Takes one out that waits here. Returns whether it did.
  bool take(const TaskAttempt& id);

  /// The last ones that wait here, at most so many.
  std::vector<TaskAttempt> take_back(std::size_t count_max);

private:
  struct Needs {
    int cores = 1;
    TaskKind kind = TaskKind::program;
  };

  [[nodiscard]] Needs needs_of(const TaskAttempt& id) const;
  [[nodiscard]] bool may_wait_at_slots(Needs needs) const;

  /// Counts one that was begun, or has ended (-1).
  void count(Needs needs, int by);

  int cores_;
  std::map<StageId, Needs> stages_;
  std::deque<LaunchTask> waiting_;

  /// At the slots.
  std::map<TaskAttempt, Needs> begun_;
  int used_cores_ = 0;
  int with_several_cores_ = 0;
  int functions_ = 0;
};

} // namespace stoker::executor
