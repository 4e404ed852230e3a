#pragma once

// What the Master says to itself, or learns from its surroundings. Never on the
// wire, but events like all others: they stand in the message log.

#include <cstdint>

#include "messages/ids.hpp"

namespace stoker {

/// Time has passed: look for workers, applications and drivers that are due.
/// May come early, late or twice.
struct CheckForWorkerTimeOut {};
BOOST_DESCRIBE_STRUCT(CheckForWorkerTimeOut, (), ())

/// The Master was stopped, or far behind, for so long: a wake-up came that much
/// late. What peers did meanwhile it may hear of only after this.
struct MasterStalled {
  std::int64_t for_ms = 0;
};
BOOST_DESCRIBE_STRUCT(MasterStalled, (), (for_ms))

/// The connection to a peer broke. It may come back over another one.
struct EndpointLost {
  EndpointId endpoint;
};
BOOST_DESCRIBE_STRUCT(EndpointLost, (), (endpoint))

} // namespace stoker
