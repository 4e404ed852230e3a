#pragma once

// Which task goes to which executor, and when.

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

/// Begins tasks wherever there is room for them.
void make_offers(JobStep& step);

/// When some may begin that may not yet: because of their places, or because they
/// failed elsewhere.
std::optional<Instant> next_offer(const JobsState& state, Instant now);

/// Whether tasks of the stage may run there at all.
bool may_run_on(const JobsState& state, const Stage& stage,
                const JobExecutor& executor, Instant now);

/// Whether a task that failed may run there, as far as exclusion goes.
bool may_retry_on(const JobsState& state, const Stage& stage, int task,
                  const JobExecutor& executor);

/// Whether a task that found full disks may run on a worker that is none of those.
bool has_other_disk(const JobsState& state, const Stage& stage, int task,
                    Instant now);

/// Begins a second attempt on another executor that has room. Returns whether there
/// is one.
bool offer_second(JobStep& step, Stage& stage, int task);

/// Adds the messages of what was begun in this step.
void send_launches(JobStep& step);

} // namespace stoker
