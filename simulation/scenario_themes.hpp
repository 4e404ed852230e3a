#pragma once

#include <string>

#include "simulation/dice.hpp"
#include "simulation/scenario.hpp"

namespace stoker::simulation {

/// Adds to a scenario what its name promises, for example rivals or lost ramps, beside the
/// items that were drawn.
void add_theme(const std::string& name, Dice& dice, Scenario& x);

} // namespace stoker::simulation
