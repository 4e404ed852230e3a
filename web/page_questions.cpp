#include "web/page_questions.hpp"

#include <utility>
#include <variant>

#include "web/history_form.hpp"
#include "web/plan_form.hpp"

namespace stoker {

PageQuestions questions_of(const PageAddress& address, Instant now) {
  PageQuestions result;
  if (const auto* app = std::get_if<ApplicationPage>(&address)) {
    result.explanation = RequestExplanation{app->id, std::nullopt};
    result.jobs.emplace().app_id = app->id;
  } else if (const auto* job = std::get_if<JobPage>(&address)) {
    result.explanation = RequestExplanation{job->app_id, std::nullopt};
    result.jobs.emplace().app_id = job->app_id;
  } else if (const auto* driver = std::get_if<DriverPage>(&address)) {
    result.explanation = RequestExplanation{{}, driver->id};
  } else if (std::holds_alternative<QueuesPage>(address)) {
    result.queues.emplace();
  } else if (std::holds_alternative<JobsPage>(address)) {
    result.jobs.emplace();
  } else if (const auto* history = std::get_if<HistoryPage>(&address)) {
    if (auto request = history_request(history->form, now)) {
      result.use = use_request(*request);
      result.history = *std::move(request);
    }
  } else if (const auto* plan = std::get_if<PlanPage>(&address)) {
    if (auto request = plan_request(plan->form))
      result.plan = *std::move(request);
  }
  return result;
}

} // namespace stoker
