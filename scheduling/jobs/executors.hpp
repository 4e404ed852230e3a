#pragma once

// Executors come, and are lost.

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

void on(JobStep& step, const RegisterExecutor& x);
void on(JobStep& step, const ExecutorHeartbeat& x);
void on(JobStep& step, const ExecutorDisconnected& x);
void on(JobStep& step, const ExecutorEnded& x);
void on(JobStep& step, const OutputsGone& x);

/// What tasks wait for may have gone.
void look_again(JobsState& state);

/// Tasks that have nowhere better to go may have it now.
void offer_place(JobsState& state, const JobExecutor& executor);

/// Those whose connection has been gone for too long count as lost.
void lose_disconnected(JobStep& step);

/// So do those that have said nothing for too long. They are asked to be ended, now and then
/// again.
void lose_silent(JobStep& step);

} // namespace stoker
