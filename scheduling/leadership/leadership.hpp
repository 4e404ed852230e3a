#pragma once

#include <algorithm>
#include <cstdint>

#include "messages/leader_epoch.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// The epoch of a leadership that begins at `at_ms` since 1970, after one with
/// epoch `last`. Later than all before on the same store; and, as the time of day is part of
/// it, than those on a store that was lost: workers that have outlived it would
/// ignore a lower one.
inline LeaderEpoch next_epoch(LeaderEpoch last, std::int64_t at_ms) {
  return {std::max(last.value + 1, static_cast<std::uint64_t>(
                                       std::max(at_ms, std::int64_t{0})))};
}

/// A leadership that has begun.
struct Leadership {
  LeaderEpoch epoch;

  /// What the leaders before have committed.
  StoredState stored;
};

} // namespace stoker
