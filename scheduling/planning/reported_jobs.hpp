#pragma once

// What drivers have said of their jobs, for people who ask.

#include "messages/jobs_report.hpp"
#include "scheduling/master/job_reports.hpp"

namespace stoker {

/// Of applications that are not forgotten. A job that ran when its application ended,
/// and of whose end nobody told, is UNKNOWN.
[[nodiscard]] JobsResponse reported_jobs(const ClusterState& state,
                                         const JobReports& reports,
                                         const RequestJobs& request);

} // namespace stoker
