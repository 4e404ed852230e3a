#pragma once

// Executors leave: what runs there may end, then they may be removed.
//
//     available --DecommissionExecutor--> leaving --ExecutorDrained--> drained
//         ^                                  |                            |
//         +---------- KeepExecutor ----------+        its end, or loss <--+

#include <optional>

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

void on(JobStep& step, const DecommissionExecutor& x);
void on(JobStep& step, const KeepExecutor& x);

/// Takes back what executors that are to leave have not begun, and ends what has taken
/// too long there.
void end_tasks_of_leaving(JobStep& step);

/// Tells of each one where no task counts any more.
void tell_drained(JobStep& step);

/// When the first one has had its time.
std::optional<Instant> next_leaving(const JobsState& state);

/// When what runs on an executor that is to leave counts as ended from outside, as far
/// as is known; nothing: that is not known.
std::optional<Instant> expected_kill(const JobsState& state,
                                     const JobExecutor& executor);

} // namespace stoker
