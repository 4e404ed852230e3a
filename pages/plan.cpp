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
          cores_wanted(y.cores_wanted), text(y.reason)}});
  return result;
}

std::string afterwards(const PlanResponse& x) {
  return "Afterwards " + format_cores(x.free.cores) + " of "
         + std::to_string(x.total.cores) + " and "
         + format_memory(x.free.memory_mb) + " of "
         + format_memory(x.total.memory_mb)
         + " would be free. Nothing was changed.";
}

} // namespace stoker::pages
