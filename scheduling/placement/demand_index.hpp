#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "scheduling/common/executor_size.hpp"
#include "scheduling/common/keys.hpp"

namespace stoker {

/// Finds applications that would take another executor by the size of one, and by
/// how many they take at once, without looking at those whose executors are too
/// large or too many: many applications share few sizes.
class DemandIndex {
public:
  /// The application would take `at_once` more executors of this size, or none.
  void set(QueuePosition app, ExecutorSize size, int at_once = 1);

  /// The application wants no more; an unknown one is harmless.
  void erase(QueuePosition app);

  [[nodiscard]] bool contains(QueuePosition app) const {
    return wanted_.contains(app);
  }

  [[nodiscard]] bool empty() const {
    return wanted_.empty();
  }

  /// The application whose turn is first, from `from` on, of those whose
  /// size is at most `largest` in both respects and that `fits(size, at_once)`
  /// says yes to: of one size, not to more than what it says no to.
  template <class Fits>
  [[nodiscard]] std::optional<QueuePosition>
  first(QueuePosition from, ExecutorSize largest, Fits&& fits) const {
    std::optional<QueuePosition> result;
    for (const auto& [cores, by_memory] : apps_) {
      if (cores > largest.cores)
        break;
      for (const auto& [memory_mb, by_count] : by_memory) {
        if (memory_mb > largest.memory_mb)
          break;
        for (const auto& [at_once, apps] : by_count) {
          auto i = apps.lower_bound(from);
          if (i == apps.end() || (result && *result <= *i))
            continue;
          if (!fits(ExecutorSize{cores, memory_mb}, at_once))
            break;
          result = *i;
        }
      }
    }
    return result;
  }

private:
  struct Wanted {
    ExecutorSize size;
    int at_once = 1;

    friend bool operator==(const Wanted&, const Wanted&) = default;
  };
  using ByCount = std::map<int, std::set<QueuePosition>>;

  std::map<QueuePosition, Wanted> wanted_;

  /// By cores, then by memory, then by how many at once.
  std::map<int, std::map<std::int64_t, ByCount>> apps_;
};

} // namespace stoker
