#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "messages/resource_use.hpp"
#include "scheduling/master/end_time.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// What a worker says of the end of an executor that counted as ended before: it was told to
/// end, or its worker was not heard of.
struct LateEnd {
  Instant heard;

  /// As in `ExecutorStateChanged`.
  std::optional<std::int64_t> ago_ms;

  /// Nothing: nobody counted.
  std::optional<ResourceUse> use;

  /// It held what it had until it ended. What was said once stays. Returns whether it is news.
  bool apply_to(StoredExecutor& x) const {
    auto before = std::pair{x.ended, x.use};
    auto was_told = x.state == ExecutorState::KILLED
                    || x.state == ExecutorState::LOST
                    || x.state == ExecutorState::DECOMMISSIONED;
    if (was_told && !x.use)
      x.ended = end_time(
          heard, std::max(x.launched, x.running_since.value_or(x.launched)),
          ago_ms);
    if (use)
      x.use = use;
    return before != std::pair{x.ended, x.use};
  }
};

} // namespace stoker
