#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/job_ids.hpp"
#include "messages/jobs_report.hpp"
#include "pages/page.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

/// What a driver has said of its jobs, and of their stages.
Table jobs_table(const ApplicationJobs& x, std::int64_t now_ms);
std::vector<Fact> facts_of(const ApplicationJobs& of, const JobInfo& x,
                           std::int64_t now_ms);

/// @param of Only those that this job has; unset: all.
Table stages_table(const ApplicationJobs& x, std::optional<JobId> of,
                   std::int64_t now_ms);

/// The jobs of all applications: those that go on first.
Table all_jobs_table(const JobsResponse& x, std::int64_t now_ms);

std::string href_of(const AppId& app_id, JobId id);

} // namespace stoker::pages
