#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduling/jobs/task_places.hpp"

namespace stoker {

/// The tasks of a stage that wait for a slot, found by where they had better run.
///
/// Invariant: `size()` tasks are pending, and each is found by `take_anywhere`, and
/// by each of its places. Lists may also have tasks that are not pending any more:
/// they are dropped where they are met.
class PendingTasks {
public:
  /// All of them are pending.
  PendingTasks(int tasks, const TaskPlaces& places);

  [[nodiscard]] int size() const noexcept {
    return size_;
  }
  [[nodiscard]] bool contains(int task) const {
    return pending_[index(task)];
  }

  /// @pre it is not pending
  void add(int task, std::span<const TaskPlace> places);

  /// @pre it is pending
  void remove(int task);

  /// Whether a task had better run in that process, or on that host.
  [[nodiscard]] bool wants_process(int exec_id);
  [[nodiscard]] bool wants_host(const std::string& host);

  /// Whether some task has places.
  [[nodiscard]] bool has_places() const noexcept {
    return !by_process_.empty() || !by_host_.empty();
  }

  // Each takes one out, if there is one.

  std::optional<int> take_for_process(int exec_id);
  std::optional<int> take_on_host(const std::string& host);

  /// One without places.
  std::optional<int> take_unplaced();
  std::optional<int> take_anywhere();

private:
  using List = std::vector<int>;

  static std::size_t index(int task) {
    return static_cast<std::size_t>(task);
  }

  /// Drops what is not pending from the end, and returns the last.
  std::optional<int> last_of(List& list);
  std::optional<int> take_from(List& list);
  template <class Lists, class Key>
  List* list_of(Lists& lists, const Key& key);

  void list(int task, std::span<const TaskPlace> places);

  std::vector<bool> pending_;
  int size_;

  /// Tasks from here on may be pending, and those before it that were added again.
  int next_ = 0;
  List again_;

  /// The next one is the last in each list.
  std::map<int, List> by_process_;
  std::map<std::string, List> by_host_;

  /// Nothing: no task has places.
  std::optional<List> unplaced_;
};

} // namespace stoker
