#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>

#include "scheduling/allocation/allocation_events.hpp"
#include "scheduling/allocation/index_set.hpp"

namespace stoker {

/// How many tasks wait and run, by attempts at stages. Totals are kept: each change
/// costs the same, whatever there is.
///
/// An attempt is known from its submission until it has ended and none of its tasks
/// runs. What is said of others changes nothing.
class StageLoad {
public:
  /// Replaces the number of tasks of one that is known.
  /// @param at_once They begin together.
  void submit(StageAttempt id, int tasks, bool at_once = false);

  /// Nothing of it waits any more.
  void end(StageAttempt id);

  /// Returns whether the attempt is known: then `end_task` has to follow.
  bool begin_task(StageAttempt id, int task, bool speculative);

  void end_task(StageAttempt id);

  /// The task waits again.
  void give_back(StageAttempt id, int task);

  /// A second attempt at the task waits. Returns whether the attempt at the stage is
  /// known and has not ended.
  bool want_copy(StageAttempt id, int task);

  /// It does not any more.
  void drop_copy(StageAttempt id, int task);

  /// First attempts at tasks, which have not begun.
  [[nodiscard]] std::int64_t pending() const noexcept {
    return pending_;
  }

  /// Second attempts beside others.
  [[nodiscard]] std::int64_t pending_copies() const noexcept {
    return pending_copies_;
  }

  [[nodiscard]] std::int64_t running() const noexcept {
    return running_;
  }

  [[nodiscard]] bool has_pending() const noexcept {
    return pending_ > 0 || pending_copies_ > 0;
  }

  /// Of stages that have not ended: others are about to end.
  [[nodiscard]] std::int64_t running_in_open() const noexcept {
    return running_in_open_;
  }

  /// First attempts that wait for each other: the most of a stage, and all of them.
  [[nodiscard]] std::int64_t largest_gang() const noexcept {
    return gangs_.empty() ? 0 : *gangs_.rbegin();
  }
  [[nodiscard]] std::int64_t pending_in_gangs() const noexcept {
    return pending_in_gangs_;
  }

  /// Whether a stage has been submitted that has not ended.
  [[nodiscard]] bool has_stages() const noexcept {
    return open_ > 0;
  }

private:
  struct Attempt {
    /// Submitted, and not ended. Otherwise only `running` is not 0.
    bool open = false;
    bool at_once = false;
    std::int64_t tasks = 0;
    IndexSet begun;
    std::set<int> copies;
    std::int64_t running = 0;

    [[nodiscard]] std::int64_t pending() const noexcept {
      auto result = tasks - static_cast<std::int64_t>(begun.size());
      return result > 0 ? result : 0;
    }
  };

  using Attempts = std::unordered_map<StageAttempt, Attempt>;

  /// Changes one, and the totals with it. Returns whether it is known.
  template <class F>
  bool change(StageAttempt id, F&& f);

  Attempts attempts_;
  std::int64_t pending_ = 0;
  std::int64_t pending_copies_ = 0;
  std::int64_t running_ = 0;
  std::int64_t open_ = 0;
  std::int64_t running_in_open_ = 0;

  /// Of those that begin together.
  std::multiset<std::int64_t> gangs_;
  std::int64_t pending_in_gangs_ = 0;
};

} // namespace stoker
