#pragma once

#include <string>

#include "messages/planning.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

/// What would be started.
Table starts_table(const PlanResponse& x);

/// What would become of the applications that the plan concerns.
Table outcomes_table(const PlanResponse& x);

/// What would be free afterwards, in a sentence.
std::string afterwards(const PlanResponse& x);

} // namespace stoker::pages
