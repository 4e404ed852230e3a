#pragma once

#include "scheduling/common/instant.hpp"
#include "scheduling/master/events.hpp"
#include "scheduling/master/step_result.hpp"

namespace stoker {

class Cluster;

/// Steps a copy of a cluster as if every program that is told to end did so at
/// once. Returns all messages that follow.
OutgoingMessages step_with_ends(Cluster& copy, Instant now, const Event& what);

} // namespace stoker
