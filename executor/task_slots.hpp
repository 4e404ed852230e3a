#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "executor/task_control.hpp"
#include "executor/task_end.hpp"
#include "executor/task_program.hpp"
#include "executor/task_trees.hpp"
#include "messages/job_ids.hpp"
#include "messages/result.hpp"

namespace stoker::executor {

/// A task's program runs.
struct TaskStarted {
  friend bool operator==(const TaskStarted&, const TaskStarted&) = default;
};

using TaskEvent = std::variant<TaskStarted, TaskEnd>;

struct TaskSlotsConfig {
  /// How many tasks run at once, each on a thread of its own. At least 1.
  int slots = 1;

  /// How many more may wait for a slot.
  std::size_t queue_max = 1'024;
};

/// Runs tasks on slots, in the order in which they come. One in a process: see
/// `TaskTrees`.
class TaskSlots {
public:
  /// Hears of each task that was added `TaskStarted`, unless it never ran, and then
  /// `TaskEnd`; nothing of one that was taken back. Called by several threads at once, also
  /// those that call `kill` and `stop`; the events of one task come one after the other.
  using Listener
      = std::function<void(const TaskAttempt& task, const TaskEvent& event)>;

  TaskSlots(TaskSlotsConfig config, Listener listener);

  /// As `stop`.
  ~TaskSlots();

  TaskSlots(const TaskSlots&) = delete;
  TaskSlots& operator=(const TaskSlots&) = delete;

  /// Runs a task as soon as a slot is free. Fails with `Errc::full` if too many wait,
  /// `Errc::in_use` if that attempt is here, `Errc::not_alive` after `stop`, and
  /// `Errc::invalid_request`; the listener then hears nothing.
  Status add(const TaskAttempt& task, TaskProgram program);

  /// Ends a task: its end is `Killed`, unless it came first. Returns false if that task
  /// is not here.
  bool kill(const TaskAttempt& task, const std::string& reason);

  /// Takes tasks back that have not begun, those that were added last, and at most so
  /// many.
  std::vector<TaskAttempt> take_back(std::size_t count_max);

  /// How many tasks run, and wait.
  [[nodiscard]] std::size_t running() const;
  [[nodiscard]] std::size_t queued() const;

  /// Kills all tasks, and returns once nothing is left of them. Repeating it changes
  /// nothing.
  void stop(const std::string& reason);

private:
  struct Task {
    TaskAttempt id;
    TaskProgram program;
  };

  struct Slot {
    TaskControl control;
    /// The task that runs in it.
    std::optional<TaskAttempt> task;
    std::thread thread;
  };

  void work(int slot);
  /// Waits for the next task. Nothing: there will be none.
  std::optional<Task> next(Slot& slot);
  void report_killed(const std::vector<TaskAttempt>& tasks,
                     const std::string& reason) const;
  [[nodiscard]] bool is_here(const TaskAttempt& task) const;

  const TaskSlotsConfig config_;
  const Listener listener_;
  TaskTrees trees_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> queue_;
  /// Do not move: their threads use them.
  std::vector<std::unique_ptr<Slot>> slots_;
  bool stopped_ = false;

  std::mutex joining_;
};

} // namespace stoker::executor
