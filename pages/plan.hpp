#pragma once

#include <functional>
#include <string>
#include <vector>

#include "messages/planning.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

/// Whether what an id names is there: what the plan itself brings has no page.
struct IsThere {
  std::function<bool(const AppId&)> application;
  std::function<bool(const WorkerId&)> worker;
  std::function<bool(const DriverId&)> driver;
};

/// Executors that would be started.
Table starts_table(const PlanResponse& x, const IsThere& is_there);

/// What would become of the drivers that the plan concerns.
Table driver_outcomes_table(const PlanResponse& x, const IsThere& is_there);

/// What would become of the applications that the plan concerns.
Table outcomes_table(const PlanResponse& x, const IsThere& is_there);

/// What is asked, in sentences: also what nobody has filled in, and in which units it was
/// taken.
std::vector<std::string> assumptions(const RequestPlan& x);

/// What would be free afterwards, in a sentence.
std::string afterwards(const PlanResponse& x);

} // namespace stoker::pages
