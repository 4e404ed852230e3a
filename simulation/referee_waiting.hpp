#pragma once

#include "simulation/master_process.hpp"

namespace stoker::simulation {

/// Fails when a copy of the leader finds room for what waits, or when a worker
/// has some as everybody can see.
void check_that_nothing_waits(const MasterProcess& master);

} // namespace stoker::simulation
