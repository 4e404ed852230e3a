#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "messages/task.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

/// An attempt that an executor was sent, and that has not ended.
struct AssignedTask {
  TaskAttempt id;
  int cores = 1;

  /// When it began, as far as is known here; nothing: it waits for others.
  std::optional<Instant> since;

  /// Nobody waits for it any more: it is about to end, or to be returned.
  bool withdrawn = false;
};

/// One that has registered, until it has ended.
struct JobExecutor {
  int exec_id = 0;
  WorkerId worker_id;
  std::string host;
  int cores = 0;

  /// Of its worker's outputs, in the StageOutputTable.
  int server = 0;

  /// In the order in which they begin: first those that have.
  std::deque<AssignedTask> assigned;
  int used_cores = 0;
  int waiting = 0;

  /// It was asked for tasks that it has not begun.
  bool returns_tasks = false;

  /// When its connection broke.
  std::optional<Instant> disconnected;

  /// Since when it is to leave, and why; and whether it was said that it may be removed.
  std::optional<Instant> leaves_since;
  std::string leaves_because;
  bool is_drained = false;

  /// What it was told: which stages, and which version of whose outputs.
  std::set<StageId> described;
  std::map<StageId, int> told;

  /// Whether it gets tasks.
  [[nodiscard]] bool is_available() const {
    return !disconnected && !leaves_since;
  }

  [[nodiscard]] int free_cores() const {
    return waiting > 0 ? 0 : cores - used_cores;
  }
};

/// An application's executors, and what runs on each.
///
/// Invariants: tasks begin in order, as soon as their cores are free, so those that
/// wait are the last; `used_cores` is the sum over those that have begun, at most
/// `cores`; the indexes have each available executor once, and no other.
class JobExecutors {
public:
  [[nodiscard]] const std::map<int, JobExecutor>& all() const noexcept {
    return executors_;
  }

  /// Null: there is none of that number.
  [[nodiscard]] const JobExecutor* find(int exec_id) const;

  /// Those that get tasks.
  [[nodiscard]] int available() const noexcept {
    return static_cast<int>(by_free_cores_.size());
  }
  [[nodiscard]] int available_on(const std::string& host) const;

  /// Available ones with the number of their free cores, most first.
  struct ByFreeCores {
    int free_cores = 0;
    int exec_id = 0;
    friend bool operator<(const ByFreeCores& a, const ByFreeCores& b) {
      return a.free_cores != b.free_cores ? a.free_cores > b.free_cores
                                          : a.exec_id < b.exec_id;
    }
  };
  [[nodiscard]] const std::set<ByFreeCores>& by_free_cores() const noexcept {
    return by_free_cores_;
  }

  /// Of all available ones.
  [[nodiscard]] std::int64_t free_cores() const noexcept {
    return free_cores_;
  }

  /// Available ones with the number of tasks that wait there, fewest first.
  [[nodiscard]] const std::set<std::pair<int, int>>&
  by_waiting() const noexcept {
    return by_waiting_;
  }

  /// Of the largest one.
  /// @pre there is one
  [[nodiscard]] int most_cores() const {
    return *cores_.rbegin();
  }

  /// How many tasks of a stage wait at executors, and somebody waits for them.
  [[nodiscard]] int sent_ahead(StageId stage) const {
    auto found = sent_ahead_.find(stage);
    return found == sent_ahead_.end() ? 0 : found->second;
  }

  /// Those where room has come since `forget_changed`.
  [[nodiscard]] const std::set<int>& changed() const noexcept {
    return changed_;
  }
  void forget_changed() {
    changed_.clear();
  }

  /// @pre it is not known
  void add(const RegisterExecutor& x, int server);

  /// Its connection is gone. Nothing is assigned to it any more.
  void disconnect(int exec_id, Instant now);

  /// It is to leave: nothing is assigned to it any more, until it is kept.
  void leave(int exec_id, Instant now, const std::string& why);
  void keep(int exec_id);

  /// It was said that it may be removed.
  void set_drained(int exec_id);

  /// It has ended. Returns what it had.
  std::deque<AssignedTask> remove(int exec_id);

  /// @pre it is available
  void assign(int exec_id, TaskAttempt id, int cores, Instant now);

  /// Nothing: it does not have that attempt.
  std::optional<AssignedTask> end(int exec_id, TaskAttempt id, Instant now);

  void withdraw(int exec_id, TaskAttempt id);

  /// Whether it was asked for tasks.
  void set_returns_tasks(int exec_id, bool value);

  // What it was told.

  /// Whether this is new to it.
  bool describe(int exec_id, StageId stage);
  bool tell(int exec_id, StageId stage, int version);
  void forget(StageId stage);

private:
  /// Changes an executor, and what is known of it by its load.
  template <class F>
  void change(int exec_id, F&& f);

  /// It gets tasks from now on, or does not any more.
  void add_to_indexes(const JobExecutor& x);
  void take_from_indexes(const JobExecutor& x, int free_cores, int waiting);

  /// Lets the next ones begin that have room.
  void begin_waiting(JobExecutor& x, Instant now);

  /// It does not wait any more, or nobody waits for it.
  void forget_sent_ahead(const AssignedTask& x);

  std::map<int, JobExecutor> executors_;
  std::set<ByFreeCores> by_free_cores_;
  std::int64_t free_cores_ = 0;
  std::set<std::pair<int, int>> by_waiting_;
  std::map<std::string, int> available_on_host_;
  std::set<int> changed_;
  std::map<StageId, int> sent_ahead_;
  std::multiset<int> cores_;
};

} // namespace stoker
