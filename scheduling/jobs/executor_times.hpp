#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// A time for each of some executors, and which is the first.
///
/// Invariant: both indexes have the same.
class ExecutorTimes {
public:
  [[nodiscard]] const std::map<int, Instant>& all() const noexcept {
    return times_;
  }
  [[nodiscard]] bool contains(int exec_id) const {
    return times_.contains(exec_id);
  }

  /// Nothing: there is none.
  [[nodiscard]] std::optional<Instant> first() const {
    return in_order_.empty() ? std::nullopt
                             : std::optional{in_order_.begin()->first};
  }

  /// @pre there is one
  [[nodiscard]] int first_executor() const {
    return in_order_.begin()->second;
  }

  void set(int exec_id, Instant when) {
    erase(exec_id);
    times_.emplace(exec_id, when);
    in_order_.emplace(when, exec_id);
  }

  void erase(int exec_id) {
    if (auto known = times_.extract(exec_id))
      in_order_.erase({known.mapped(), exec_id});
  }

private:
  std::map<int, Instant> times_;
  std::set<std::pair<Instant, int>> in_order_;
};

} // namespace stoker
