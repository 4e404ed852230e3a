#pragma once

#include <cstdint>

#include "messages/jobs_report.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

/// What a driver has said of its jobs, and of their stages.
Table jobs_table(const ApplicationJobs& x, std::int64_t now_ms);
Table stages_table(const ApplicationJobs& x, std::int64_t now_ms);

/// The jobs of all applications: those that go on first.
Table all_jobs_table(const JobsResponse& x, std::int64_t now_ms);

} // namespace stoker::pages
