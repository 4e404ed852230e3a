#pragma once

#include <cstddef>
#include <functional>

#include "simulation/scenario.hpp"

namespace stoker::simulation {

/// Leaves out of a scenario whatever it fails without, in at most `attempts`
/// attempts. `fails` tells whether a scenario still fails in the same way.
Scenario shrink(Scenario x, const std::function<bool(const Scenario&)>& fails,
                std::size_t attempts);

} // namespace stoker::simulation
