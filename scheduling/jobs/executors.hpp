#pragma once

// Executors come, and are lost.

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

void on(JobStep& step, const RegisterExecutor& x);
void on(JobStep& step, const ExecutorDisconnected& x);
void on(JobStep& step, const ExecutorEnded& x);
void on(JobStep& step, const OutputsGone& x);

/// Those whose connection has been gone for too long count as lost.
void lose_disconnected(JobStep& step);

} // namespace stoker
