#pragma once

#include <ostream>
#include <string>

#include "messages/planning.hpp"

namespace stoker {

/// Cores that somebody still waits for; "all": he takes what he can get.
std::string cores_wanted_text(int cores);

void print_explanation(std::ostream& out, const ExplanationResponse& x);

void print_plan(std::ostream& out, const PlanResponse& x);

} // namespace stoker
