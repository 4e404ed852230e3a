#pragma once

#include <optional>

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

/// Fails the jobs of stages whose tasks may run on none of the executors that are
/// there, because of what failed on them, for too long.
void end_unschedulable_jobs(JobStep& step);

/// When the first one would.
std::optional<Instant> next_unschedulable(const JobsState& state);

} // namespace stoker
