#pragma once

#include "messages/planning.hpp"
#include "scheduling/master/job_reports.hpp"

namespace stoker {

/// What the tasks of an application wait for, as its driver has said last, and what
/// the master knows of that. Nothing: it has ended, or its driver says nothing of jobs.
[[nodiscard]] std::optional<TasksExplanation>
explain_tasks(const ClusterState& state, const JobReports& reports, Instant now,
              const AppId& id);

} // namespace stoker
