#pragma once

#include <optional>
#include <string>

#include "simulation/simulation.hpp"

namespace stoker::simulation {

/// Runs a scenario in a process of its own, so that a broken assertion ends
/// that process only. Returns what went wrong, or nothing.
std::optional<std::string> attempt(const Scenario& scenario);

/// A violation without the names and figures that change from run to run.
std::string kind_of(const std::string& violation);

} // namespace stoker::simulation
