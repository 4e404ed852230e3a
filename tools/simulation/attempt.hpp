#pragma once

#include <functional>
#include <optional>
#include <string>

#include "simulation/simulation.hpp"

namespace stoker::simulation {

/// Runs a scenario in a process of its own, so that a broken assertion ends
/// that process only. Returns what went wrong, or nothing.
std::optional<std::string> attempt(const Scenario& scenario);

/// A violation without the names and figures that change from run to run.
std::string kind_of(const std::string& violation);

/// Prints a failing scenario, which can be replayed from its text.
/// @param reduce whether it is made as small as it can be first
/// @param is_over ends that early when it returns true
void report_failure(
    const Scenario& scenario, const std::string& violation, bool reduce,
    const std::function<bool()>& is_over = [] { return false; });

} // namespace stoker::simulation
