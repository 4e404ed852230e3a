#include "scheduling/planning/explain_tasks.hpp"

#include <algorithm>
#include <string>

#include "scheduling/common/format.hpp"

namespace stoker {

namespace {

constexpr std::size_t stages_explained_max = 10;

/// By stage what waits.
std::vector<std::string> waiting_stages(const ReportJobs& report) {
  std::vector<std::string> result;
  std::size_t found = 0;
  for (const auto& stage : report.stages) {
    if (stage.waits.empty() || ++found > stages_explained_max)
      continue;
    result.push_back("stage " + to_string(stage.id) + " '" + stage.name
                     + "': " + stage.waits);
  }
  if (found > stages_explained_max)
    result.push_back(
        "and "
        + format_count(static_cast<std::int64_t>(found - stages_explained_max),
                       "more stage"));
  return result;
}

} // namespace

std::optional<TasksExplanation> explain_tasks(const ClusterState& state,
                                              const JobReports& reports,
                                              Instant now, const AppId& id) {
  auto key = state.applications.find(id);
  const auto* known = reports.find(id);
  if (!key || known == nullptr)
    return std::nullopt;
  const auto& app = state.applications.at(*key);
  const auto& report = known->report;
  TasksExplanation result;
  result.reported_ms_ago = std::max(now - known->since, Duration{}).count();
  result.executors = report.executors;
  for (const auto& job : report.jobs)
    result.jobs += job.status == JobStatus::RUNNING ? 1 : 0;
  for (const auto& stage : report.stages)
    result.running += stage.running;
  result.reasons = waiting_stages(report);
  if (result.jobs > 0 && result.reasons.empty())
    result.reasons.emplace_back("no task waits");
  if (auto missing = app.executors.count() - report.executors; missing > 0)
    result.reasons.push_back(std::to_string(missing) + " of its "
                             + format_count(app.executors.count(), "executor")
                             + (missing == 1 ? " has" : " have")
                             + " not registered with its driver");
  if (app.reconnect_due)
    result.reasons.emplace_back(
        "its driver is not connected, and may be further on than it has said");
  return result;
}

} // namespace stoker
