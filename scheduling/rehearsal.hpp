#pragma once

#include "scheduling/effects.hpp"
#include "scheduling/events.hpp"
#include "scheduling/instant.hpp"

namespace stoker {

class Cluster;

/// Steps a copy of a cluster as if every program that is told to end did so at
/// once. Returns all that follows.
Effects step_with_ends(Cluster& copy, Instant now, const Event& what);

} // namespace stoker
