#pragma once

#include "scheduling/common/instant.hpp"
#include "scheduling/master/effects.hpp"
#include "scheduling/master/events.hpp"

namespace stoker {

class Cluster;

/// Steps a copy of a cluster as if every program that is told to end did so at
/// once. Returns all that follows.
Effects step_with_ends(Cluster& copy, Instant now, const Event& what);

} // namespace stoker
