#pragma once

#include <cstdint>

#include "messages/leader_epoch.hpp"

namespace stoker {

/// A master's question to a worker what it runs. The report repeats it, so that
/// the master knows which one is answered.
struct StateQuestion {
  LeaderEpoch epoch;
  std::uint64_t number = 0;

  friend bool operator==(const StateQuestion&, const StateQuestion&) = default;
};
BOOST_DESCRIBE_STRUCT(StateQuestion, (), (epoch, number))

} // namespace stoker
