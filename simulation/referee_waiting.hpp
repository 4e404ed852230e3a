#pragma once

#include "simulation/master_process.hpp"
#include "simulation/stats.hpp"

namespace stoker::simulation {

/// Fails when a copy of the leader finds room for what waits, or when a worker
/// has some as everybody can see; or when more runs than caps and limits allow.
/// @param rules_change whether the rules for tenants do during the run
void check_that_nothing_waits(const MasterProcess& master, bool rules_change);

/// Counts the drivers that wait in a queue of tenants, and the applications that were admitted
/// with a part of what they want.
void count_throttled(Stats& stats, const MasterProcess& master);

} // namespace stoker::simulation
