#pragma once

#include <string>
#include <vector>

#include "messages/planning.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

/// What would be started.
Table starts_table(const PlanResponse& x);

/// What would become of the applications that the plan concerns.
Table outcomes_table(const PlanResponse& x);

/// What is asked, in sentences: also what nobody has filled in, and in which units it was
/// taken.
std::vector<std::string> assumptions(const RequestPlan& x);

/// What would be free afterwards, in a sentence.
std::string afterwards(const PlanResponse& x);

} // namespace stoker::pages
