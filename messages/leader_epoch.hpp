#pragma once

#include <compare>
#include <cstdint>

#include "messages/describe.hpp"

namespace stoker {

/// Which leadership a master speaks for. Each one that begins has a higher
/// number than all before, on the same stored state: it is the first thing that
/// a new leader commits. A leader's messages to workers and applications carry
/// it, and whoever has heard a higher one ignores what a lower one says, so that
/// a leader that does not know of its end changes nothing any more. 0: said by
/// nobody who leads.
struct LeaderEpoch {
  std::uint64_t value = 0;

  friend auto operator<=>(const LeaderEpoch&, const LeaderEpoch&) = default;
};
BOOST_DESCRIBE_STRUCT(LeaderEpoch, (), (value))

} // namespace stoker
