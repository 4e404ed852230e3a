#pragma once

#include <optional>

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

/// A stage's first task begins.
void note_first_launch(JobStep& step, Stage& stage);

/// Fails the jobs of stages that take longer than they may.
void end_late_jobs(JobStep& step);

/// When the first one would.
std::optional<Instant> next_time_limit(const JobsState& state);

/// Executors and hosts that were left out for long enough get tasks again.
void expire_exclusions(JobStep& step);

} // namespace stoker
