#pragma once

// What executors and fetched results tell of tasks.

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

void on(JobStep& step, const StatusUpdates& x);
void on(JobStep& step, const ResultFetched& x);

/// An attempt ended with its executor.
/// @param why For people.
void lose_attempt(JobStep& step, const JobExecutor& executor,
                  const AssignedTask& lost, ExecutorLoss loss,
                  const std::string& why);

} // namespace stoker
