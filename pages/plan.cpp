#include "pages/plan.hpp"

#include "scheduling/common/format.hpp"

namespace stoker::pages {

namespace {

/// One that the plan itself brings has no page.
Cell application(const AppId& id, const std::string& name) {
  return name.empty() ? text(id.value) : text(id.value + ' ' + name);
}

} // namespace

Table starts_table(const PlanResponse& x) {
  Table result;
  result.title = "Would be started";
  result.head = {"Application", "Worker", "Executors", "Cores", "Memory"};
  result.empty = "Nothing.";
  for (const auto& start : x.starts)
    result.rows.push_back(
        {start.app_id.value + ' ' + start.worker_id.value,
         {application(start.app_id, start.name), text(start.worker_id.value),
          number(std::int64_t{start.executors}),
          number(std::int64_t{start.cores}), memory(start.memory_mb)}});
  return result;
}

Table outcomes_table(const PlanResponse& x) {
  Table result;
  result.title = "What would become of applications";
  result.head = {"Application", "Executors lost", "Executors started",
                 "Cores that it would wait for", "Why"};
  result.empty = "It would concern none.";
  for (const auto& y : x.outcomes)
    result.rows.push_back(
        {y.app_id.value,
         {application(y.app_id, y.name), number(std::int64_t{y.executors_lost}),
          number(std::int64_t{y.executors_started}),
          cores_wanted(y.cores_wanted), sentence_text(y.reason)}});
  return result;
}

std::vector<std::string> assumptions(const RequestPlan& x) {
  std::vector<std::string> result;
  for (const auto& worker : x.add_workers)
    result.push_back(format_count(worker.count, "worker")
                     + (worker.count == 1 ? " comes" : " come") + ", with "
                     + format_cores(worker.cores) + " and "
                     + memory_text(worker.memory_mb)
                     + (worker.count == 1 ? "." : " each."));
  for (const auto& app : x.add_apps) {
    auto executors = app.initial_executor_limit.value_or(1);
    result.push_back(
        "An application"
        + (app.user.empty() ? std::string{} : " of " + app.user)
        + " comes, and asks for " + format_count(executors, "executor")
        + " with " + format_cores(app.cores_per_executor.value_or(1)) + " and "
        + memory_text(app.memory_per_executor_mb.value_or(0))
        + (executors == 1 ? "." : " each."));
  }
  for (const auto& id : x.remove_workers)
    result.push_back(id.value + " goes, with all that runs there.");
  for (const auto& id : x.end_apps)
    result.push_back(id.value + " ends.");
  return result;
}

std::string afterwards(const PlanResponse& x) {
  return "Afterwards " + std::to_string(x.free.cores) + " of "
         + format_cores(x.total.cores) + " and " + memory_text(x.free.memory_mb)
         + " of " + memory_text(x.total.memory_mb)
         + " would be free. Nothing was changed.";
}

} // namespace stoker::pages
