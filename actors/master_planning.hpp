#pragma once

// Questions that take a copy of the cluster and longer than a master has: a
// PLANNER answers them, one at a time, so that there is one copy.

#include <caf/result.hpp>

#include "actors/master.hpp"
#include "messages/planning.hpp"

namespace stoker {

/// @pre The master leads.
caf::result<PlanResponse> answer(MasterSelf self, const RequestPlan& x);

/// The same. Only an estimate takes a copy.
caf::result<ExplanationResponse> answer(MasterSelf self,
                                        const RequestExplanation& x);

} // namespace stoker
