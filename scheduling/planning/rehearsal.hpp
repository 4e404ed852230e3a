#pragma once

#include <functional>

#include "scheduling/common/instant.hpp"
#include "scheduling/master/events.hpp"
#include "scheduling/master/step_result.hpp"

namespace stoker {

class Cluster;

/// Asked between steps: whether nobody waits for the answer any more. Empty: somebody
/// does.
using IsToStop = std::function<bool()>;

inline bool stops(const IsToStop& x) {
  return x && x();
}

/// Steps a copy of a cluster as if every program that is told to end did so at
/// once. Returns all messages that follow; those so far, if it is to stop.
OutgoingMessages step_with_ends(Cluster& copy, Instant now, const Event& what,
                                const IsToStop& is_to_stop);

} // namespace stoker
