#pragma once

// What the Master says to itself, or learns from its surroundings. Never on the
// wire, but events like all others: they stand in the message log.

#include "messages/ids.hpp"

namespace stoker {

/// Time has passed: look for workers, applications and drivers that are due.
/// May come early, late or twice.
struct CheckForWorkerTimeOut {};
BOOST_DESCRIBE_STRUCT(CheckForWorkerTimeOut, (), ())

/// The connection to a peer broke. It may come back over another one.
struct EndpointLost {
  EndpointId endpoint;
};
BOOST_DESCRIBE_STRUCT(EndpointLost, (), (endpoint))

} // namespace stoker
