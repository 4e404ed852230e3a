#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "messages/task.hpp"

namespace stoker::executor {

/// What runs a task: a slot for programs, or one for functions. There are as many of
/// each as the executor has cores.
enum class TaskKind { program, function };

/// Which tasks of an executor begin, in the order in which they came: as many as it has
/// cores for. Those of one core are sent ahead to the slots, where they begin without
/// further ado. Those that are held have their cores from the start: nobody else begins
/// on them.
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
  void forget(StageId stage);

  void add(LaunchTask task);

  /// One of a barrier stage: it begins after `release`.
  void hold(LaunchTask task);

  /// Those that are held of an attempt at a stage are the next ones to begin. Returns
  /// them.
  std::vector<TaskAttempt> release(StageId stage, int attempt);

  /// The next one that begins, or waits at the slots; nothing: others have to end
  /// first.
  std::optional<LaunchTask> next();

  /// It is not at the slots any more. Unknown ones are passed over.
  void ended(const TaskAttempt& id);

  /// Takes one out that waits here, or is held. Returns whether it did.
  bool take(const TaskAttempt& id);

  /// The last ones that wait here, at most so many; none that is held.
  std::vector<TaskAttempt> take_back(std::size_t count_max);

private:
  struct Needs {
    int cores = 1;
    TaskKind kind = TaskKind::program;
  };

  [[nodiscard]] Needs needs_of(const TaskAttempt& id) const;
  [[nodiscard]] bool may_wait_at_slots(Needs needs) const;
  bool take_held(const TaskAttempt& id);

  /// Counts one that has its cores, or gives them back (-1).
  void count(Needs needs, int by);

  int cores_;
  std::map<StageId, Needs> stages_;
  std::deque<LaunchTask> waiting_;

  /// By stage and attempt, and those that are not held any more. They are counted below.
  std::map<std::pair<StageId, int>, std::vector<LaunchTask>> held_;
  std::deque<LaunchTask> released_;

  /// At the slots, or held.
  std::map<TaskAttempt, Needs> begun_;
  int used_cores_ = 0;
  int with_several_cores_ = 0;
  int functions_ = 0;
};

} // namespace stoker::executor
