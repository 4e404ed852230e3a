#include "pages/plan.hpp"

#include "scheduling/common/format.hpp"

namespace stoker::pages {

namespace {

template <class Id>
Cell cell_of(const Id& id, const std::function<bool(const Id&)>& is_there) {
  return is_there(id) ? link_to(id) : text(id.value);
}

/// One that was refused waits for nothing.
Cell cores_awaited(const PlannedOutcome& x) {
  return x.app_id.value.empty() ? text("-") : cores_wanted(x.cores_wanted);
}

} // namespace

Table starts_table(const PlanResponse& x, const IsThere& is_there) {
  Table result;
  result.title = "Executors that would be started";
  result.head
      = {"Application", "Name", "Worker", "Executors", "Cores", "Memory"};
  result.empty = "Nothing.";
  for (const auto& start : x.starts)
    result.rows.push_back(
        {start.app_id.value + ' ' + start.worker_id.value,
         {cell_of(start.app_id, is_there.application), text(start.name),
          cell_of(start.worker_id, is_there.worker),
          number(std::int64_t{start.executors}),
          number(std::int64_t{start.cores}), memory(start.memory_mb)}});
  return result;
}

Table driver_outcomes_table(const PlanResponse& x, const IsThere& is_there) {
  Table result;
  result.title = "What would become of drivers";
  result.head = {"Driver",
                 "Name",
                 "State",
                 "Worker",
                 "Cores",
                 "Memory",
                 "Executors reserved",
                 "Why"};
  result.empty = "It would concern none.";
  for (const auto& y : x.drivers)
    result.rows.push_back(
        {y.driver_id.value,
         {cell_of(y.driver_id, is_there.driver), text(y.name),
          state(to_string(y.state)),
          y.worker_id ? cell_of(*y.worker_id, is_there.worker) : text("-"),
          number(std::int64_t{y.cores}), memory(y.memory_mb),
          number(std::int64_t{y.executors_reserved}),
          sentence_text(y.reason)}});
  return result;
}

Table outcomes_table(const PlanResponse& x, const IsThere& is_there) {
  Table result;
  result.title = "What would become of applications";
  result.head
      = {"Application",        "Name", "Executors lost", "Executors started",
         "Cores it waits for", "Why"};
  result.empty = "It would concern none.";
  for (const auto& y : x.outcomes)
    result.rows.push_back(
        {y.app_id.value + ' ' + y.name,
         {cell_of(y.app_id, is_there.application), text(y.name),
          number(std::int64_t{y.executors_lost}),
          number(std::int64_t{y.executors_started}), cores_awaited(y),
          sentence_text(y.reason)}});
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
  for (const auto& driver : x.add_drivers)
    result.push_back(
        "A driver"
        + (driver.user.empty() ? std::string{} : " of " + driver.user)
        + " comes, with " + format_cores(driver.cores) + " and "
        + memory_text(driver.memory_mb) + '.');
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
  for (const auto& id : x.end_drivers)
    result.push_back(id.value + " ends, with its applications.");
  return result;
}

std::string afterwards(const PlanResponse& x) {
  return "Afterwards " + std::to_string(x.free.cores) + " of "
         + format_cores(x.total.cores) + " and " + memory_text(x.free.memory_mb)
         + " of " + memory_text(x.total.memory_mb)
         + " would be free. Nothing was changed.";
}

} // namespace stoker::pages
