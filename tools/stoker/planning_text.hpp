#pragma once

#include <ostream>

#include "messages/planning.hpp"

namespace stoker {

void print_explanation(std::ostream& out, const ExplanationResponse& x);

void print_plan(std::ostream& out, const PlanResponse& x);

} // namespace stoker
