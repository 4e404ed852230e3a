#pragma once

#include <optional>
#include <string>

#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// Recomputes all totals and compares: what each owner promises, and what holds
/// between them:
/// - what a worker has given away is the sum of what its executors, drivers,
///   reservations and pending releases hold;
/// - each executor is known to exactly one worker and one application; each
///   running driver to one worker;
/// - an address of a named resource has at most one holder;
/// - an application is among those that want more just when it does;
/// - while the master is ALIVE, no admitted application and no driver waits for room that
///   there is;
/// - a wake-up is pending that is not later than the earliest deadline.
///
/// Returns what is wrong, in one line, or nothing. Looks at everything: for
/// tests and simulations.
[[nodiscard]] std::optional<std::string>
invariant_violation(const ClusterState& state);

} // namespace stoker
