#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "scheduling/common/executor_size.hpp"
#include "scheduling/common/keys.hpp"

namespace stoker {

/// Finds applications that would take another executor by the size of one,
/// without looking at those whose executors are too large: many applications
/// share few sizes.
class DemandIndex {
public:
  /// The application would take another executor of this size.
  void set(QueuePosition app, ExecutorSize size);

  /// The application wants no more; an unknown one is harmless.
  void erase(QueuePosition app);

  [[nodiscard]] bool contains(QueuePosition app) const {
    return sizes_.contains(app);
  }

  [[nodiscard]] bool empty() const {
    return sizes_.empty();
  }

  /// The application whose turn is first, from `from` on, of those whose
  /// size is at most `largest` in both respects and satisfies `fits`.
  template <class Fits>
  [[nodiscard]] std::optional<QueuePosition>
  first(QueuePosition from, ExecutorSize largest, Fits&& fits) const {
    std::optional<QueuePosition> result;
    for (const auto& [cores, by_memory] : apps_) {
      if (cores > largest.cores)
        break;
      for (const auto& [memory_mb, apps] : by_memory) {
        if (memory_mb > largest.memory_mb)
          break;
        auto i = apps.lower_bound(from);
        if (i == apps.end() || (result && *result <= *i))
          continue;
        if (fits(ExecutorSize{cores, memory_mb}))
          result = *i;
      }
    }
    return result;
  }

private:
  std::map<QueuePosition, ExecutorSize> sizes_;

  /// By cores, then by memory.
  std::map<int, std::map<std::int64_t, std::set<QueuePosition>>> apps_;
};

} // namespace stoker
