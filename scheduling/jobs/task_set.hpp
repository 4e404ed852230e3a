#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/jobs/exclusions.hpp"
#include "scheduling/jobs/pending_tasks.hpp"
#include "scheduling/jobs/task_places.hpp"

namespace stoker {

/// The tasks of one stage, and which attempts are at them.
///
///     PENDING --begin--> RUNNING --finish--> DONE
///        ^                  |                  |
///        +---- give_back ---+                  |
///        +-------------------- redo -----------+
///
/// Invariants: each task is in one of these states; a RUNNING one has one attempt
/// that counts, or two of which the first to finish does; no other one has any.
/// Numbers of attempts are not used again. A task takes four bytes here; those that
/// run, or have failed, take more.
class TaskSet {
public:
  TaskSet(int tasks, TaskPlaces places);

  [[nodiscard]] int size() const noexcept {
    return static_cast<int>(tasks_.size());
  }
  [[nodiscard]] int pending() const noexcept {
    return pending_.size() + static_cast<int>(retries_.size());
  }
  [[nodiscard]] int running() const noexcept {
    return static_cast<int>(live_.size());
  }
  [[nodiscard]] int done() const noexcept {
    return done_;
  }
  [[nodiscard]] bool is_done(int task) const {
    return task_at(task).state == State::done;
  }

  /// Where they had better run.
  [[nodiscard]] const TaskPlaces& places() const noexcept {
    return places_;
  }

  /// Of the task that failed most.
  [[nodiscard]] int failures() const noexcept {
    return failures_;
  }

  struct Live {
    int attempt = 0;
    int exec_id = 0;
  };
  struct LiveTask {
    Live first;
    std::optional<Live> second;

    /// A second one is wanted, and has not begun.
    bool wants_second = false;
  };

  /// The attempts that count, by task.
  [[nodiscard]] const std::map<int, LiveTask>& live() const noexcept {
    return live_;
  }

  /// Whether the attempt counts.
  [[nodiscard]] bool is_live(int task, int attempt) const;

  /// Whether a second attempt is wanted, and has not begun.
  [[nodiscard]] bool wants_second(int task) const;

  // -- tasks that wait --------------------------------------------------------

  /// Those that wait without having failed.
  [[nodiscard]] PendingTasks& waiting() noexcept {
    return pending_;
  }

  /// One that failed.
  struct Retry {
    int task = 0;

    /// Until then another executor is looked for than those where it failed.
    Instant until;
  };
  [[nodiscard]] const std::vector<Retry>& retries() const noexcept {
    return retries_;
  }

  /// Where a task has failed so far.
  [[nodiscard]] const FailurePlaces* failure_places(int task) const;

  // -- what happens -----------------------------------------------------------

  /// Begins an attempt at a task that was taken from `waiting()`.
  int begin(int task, int exec_id);

  /// Begins an attempt at a retry, by its place in the list.
  struct Begun {
    int task = 0;
    int attempt = 0;
  };
  Begun begin_retry(std::size_t index, int exec_id);

  /// A second attempt is wanted: until it begins, or the first one counts no more.
  /// @pre the task is RUNNING, by one attempt
  void want_second(int task);

  /// No task wants a second attempt.
  void want_no_second();

  /// Begins a second attempt.
  /// @pre the task is RUNNING, by one attempt
  int begin_second(int task, int exec_id);

  /// An attempt did what it should. Returns the other one, which is of no use now.
  /// @pre is_live
  std::optional<Live> finish(int task, int attempt);

  /// An attempt is gone through no fault of the task's: it is PENDING again, unless
  /// there is another one.
  /// @pre is_live
  void give_back(int task, int attempt);

  /// An attempt ended with its executor. Returns how many have.
  /// @pre is_live
  int give_back_lost(int task, int attempt);

  /// An attempt failed. Returns how often the task has.
  /// @pre is_live
  int fail(int task, int attempt, int exec_id, const std::string& host,
           Instant retry_elsewhere_until);

  /// The disk was full where a task's attempt ran. Returns how often the task has found
  /// that one full. `fail_for_full_disk` has to follow.
  int note_full_disk(int task, const WorkerId& worker);

  /// An attempt failed for a full disk. Returns how often the task has failed.
  /// @param counts Whether this one does.
  /// @param wait_until So long it is not tried again where a disk was full.
  /// @pre is_live
  int fail_for_full_disk(int task, int attempt, bool counts,
                         Instant wait_until);

  /// What was done is lost.
  /// @pre is_done
  void redo(int task);

  /// No attempt counts any more. Returns those that did.
  std::vector<std::pair<int, Live>> give_back_all();

  /// How often a task may be begun: its number is a small one.
  static constexpr int attempts_max = 65'000;
  [[nodiscard]] int attempts(int task) const {
    return task_at(task).attempts;
  }

  /// How often a task has failed.
  [[nodiscard]] int failures(int task) const {
    return task_at(task).failures;
  }

private:
  enum class State : std::uint8_t { pending, running, done };

  struct Task {
    std::uint16_t attempts = 0;
    std::uint8_t failures = 0;
    State state : 2 = State::pending;
    std::uint8_t lost_executors : 6 = 0;
  };
  static_assert(sizeof(Task) == 4);

  /// One that failed, and is not done.
  struct FailedTask {
    FailurePlaces places;
    Instant retry_elsewhere_until;
  };

  [[nodiscard]] const Task& task_at(int task) const {
    return tasks_[static_cast<std::size_t>(task)];
  }
  Task& task_at(int task) {
    return tasks_[static_cast<std::size_t>(task)];
  }

  int begin_attempt(int task, int exec_id);

  /// Takes an attempt out. Returns whether none is left.
  bool end_attempt(int task, int attempt);

  /// Counts a failure. Returns how many the task has.
  int count_failure(Task& x);

  /// Nothing of it runs. One that failed before is a retry again.
  void make_pending(int task);

  std::vector<Task> tasks_;
  TaskPlaces places_;
  PendingTasks pending_;
  std::vector<Retry> retries_;
  std::map<int, LiveTask> live_;
  std::map<int, FailedTask> failed_;
  int done_ = 0;
  int failures_ = 0;
};

} // namespace stoker
