#pragma once

#include "scheduling/allocation/allocation_manager.hpp"

namespace stoker::test {

/// An allocation manager that hears of a load, while no time passes.
class HeardManager {
public:
  HeardManager() : manager_(settings()) {
    (void)manager_.start(Instant{});
  }

  void hear(const AllocationEvents& events) {
    for (const auto& event : events)
      (void)manager_.step(Instant{}, event);
  }

  /// Executors that the load could use.
  [[nodiscard]] int needed() const {
    return manager_.status().needed;
  }
  [[nodiscard]] std::int64_t executors() const {
    return manager_.status().executors;
  }

private:
  /// An executor for each task.
  static AllocationSettings settings() {
    AllocationSettings result;
    result.enabled = true;
    return result;
  }

  AllocationManager manager_;
};

} // namespace stoker::test
