#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "scheduling/records.hpp"

namespace stoker {

/// What one executor needs at least.
struct ExecutorSize {
  int cores = 1;
  std::int64_t memory_mb = 0;

  friend auto operator<=>(const ExecutorSize&, const ExecutorSize&) = default;
};

/// Finds applications that would take another executor by the size of one,
/// without looking at those whose executors are too large: many applications
/// share few sizes.
class DemandIndex {
public:
  /// The application would take another executor of this size.
  void set(AppKey app, ExecutorSize size);

  /// The application wants no more; an unknown one is harmless.
  void erase(AppKey app);

  [[nodiscard]] bool contains(AppKey app) const {
    return sizes_.contains(app);
  }

  /// The application that was submitted first, from `from` on, of those whose
  /// size is at most `largest` in both respects and satisfies `fits`.
  template <class Fits>
  [[nodiscard]] std::optional<AppKey> first(AppKey from, ExecutorSize largest,
                                            Fits&& fits) const {
    std::optional<AppKey> result;
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
  std::map<AppKey, ExecutorSize> sizes_;

  /// By cores, then by memory.
  std::map<int, std::map<std::int64_t, std::set<AppKey>>> apps_;
};

} // namespace stoker
