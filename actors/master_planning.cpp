#include "actors/master_planning.hpp"

#include <cstddef>
#include <memory>
#include <utility>

#include "actors/defaults.hpp"
#include "actors/master_answers.hpp"
#include "actors/planner.hpp"
#include "scheduling/planning/explain.hpp"
#include "scheduling/planning/explain_driver.hpp"
#include "scheduling/planning/explain_tasks.hpp"
#include "scheduling/planning/plan.hpp"
#include "scheduling/planning/start_estimate.hpp"

namespace stoker {

namespace {

/// How many questions may wait.
constexpr std::size_t questions_max = 100;

/// Begins with the next question, if the planner is free.
void begin_next(MasterSelf self) {
  auto& planning = self->state.planning;
  while (!planning.busy && !planning.questions.empty()) {
    auto begin = std::move(planning.questions.front());
    planning.questions.pop_front();
    planning.busy = begin();
  }
}

/// Asks the planner when it is free, about the cluster as it is then.
/// @param given_up The answer where its time is up before that.
/// @param ask Makes the question; gets the copy, and what says when to stop.
template <class Answer, class Ask>
caf::result<Answer> ask_planner(MasterSelf self, Answer given_up, Ask ask) {
  auto& planning = self->state.planning;
  if (planning.questions.size() >= questions_max)
    return caf::make_error(Errc::failed,
                           std::string{"the master answers as many plans and "
                                       "explanations as it can; try again"});
  auto promise = self->make_response_promise<Answer>();
  const auto& clock = *self->state.clock;
  auto is_to_stop
      = planning.end.or_at(clock, clock.now() + defaults::planning_patience);
  auto finish = [self] {
    self->state.planning.busy = false;
    begin_next(self);
  };
  planning.questions.emplace_back([=]() mutable {
    if (in_standby(self)) {
      promise.deliver(refusal_of_standby(self));
      return false;
    }
    if (is_to_stop()) {
      deliver_when_committed(self, promise, std::move(given_up));
      return false;
    }
    auto copy = std::make_shared<Cluster>(cluster_of(self));
    auto epoch = copy->epoch();
    self->request(self->spawn(planner), caf::infinite,
                  ask(std::move(copy), is_to_stop))
        .then(
            [=](Answer& answer) mutable {
              // The copy may have had what was never stored.
              if (cluster_of(self).epoch() != epoch || in_standby(self))
                promise.deliver(refusal_of_standby(self));
              else
                deliver_when_committed(self, promise, std::move(answer));
              finish();
            },
            [=](caf::error& e) mutable {
              promise.deliver(std::move(e));
              finish();
            });
    return true;
  });
  begin_next(self);
  return promise;
}

} // namespace

caf::result<PlanResponse> answer(MasterSelf self, const RequestPlan& x) {
  return ask_planner(self, plan_that_took_too_long(),
                     [self, x](ClusterCopy copy, IsToStop is_to_stop) {
                       return PlanOnCopy{std::move(copy),
                                         self->state.clock->now(), x,
                                         std::move(is_to_stop)};
                     });
}

caf::result<ExplanationResponse> answer(MasterSelf self,
                                        const RequestExplanation& x) {
  const auto& state = cluster_of(self).state();
  auto now = self->state.clock->now();
  auto explanation = x.driver_id
                         ? explain(state, *x.driver_id)
                         : explain_without_estimate(state, now, x.app_id);
  if (!x.driver_id)
    explanation.tasks
        = explain_tasks(state, self->state.job_reports, now, x.app_id);
  if (x.driver_id || explanation.blocker == Blocker::none
      || !can_estimate(state)) {
    auto promise = self->make_response_promise<ExplanationResponse>();
    deliver_when_committed(self, promise, std::move(explanation));
    return promise;
  }
  return ask_planner(self, explanation,
                     [now, explanation](ClusterCopy copy, IsToStop is_to_stop) {
                       return EstimateOnCopy{std::move(copy), now, explanation,
                                             std::move(is_to_stop)};
                     });
}

} // namespace stoker
