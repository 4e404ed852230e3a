#include "actors/planner.hpp"

#include <utility>

#include "actors/failure.hpp"
#include "messages/serialization.hpp"
#include "scheduling/planning/plan.hpp"
#include "scheduling/planning/start_estimate.hpp"

namespace stoker {

PlannerActor::behavior_type planner(PlannerActor::pointer self) {
  handle_the_unexpected(self);
  return {
      [self](const PlanOnCopy& x) {
        self->quit();
        return plan(std::move(*x.cluster), x.now, x.request, x.is_to_stop);
      },
      [self](const EstimateOnCopy& x) {
        self->quit();
        auto result = x.explanation;
        result.estimate = estimate_start(std::move(*x.cluster), x.now,
                                         result.app_id, x.is_to_stop);
        return result;
      },
  };
}

} // namespace stoker
