#pragma once

#include <optional>

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

/// Begins a second attempt at each task whose first one takes much longer than most,
/// where that is wanted. Where no executor has room for it, says so, and tries again.
void speculate(JobStep& step);

/// When to look again.
std::optional<Instant> next_speculation(const JobsState& state);

} // namespace stoker
