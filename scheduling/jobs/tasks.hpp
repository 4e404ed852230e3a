#pragma once

// What executors and fetched results tell of tasks.

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

void on(JobStep& step, const StatusUpdates& x);
void on(JobStep& step, const ResultFetched& x);

/// Asks an executor for all tasks that it has not begun, if it was not asked already.
void ask_for_tasks(JobStep& step, const JobExecutor& executor);

/// An attempt is to end through no fault of the task's, which runs elsewhere.
/// @param why For people.
void take_back_attempt(JobStep& step, const JobExecutor& executor,
                       const AssignedTask& x, const std::string& why);

/// An attempt ended with its executor. Of one that was to leave anyway, that counts as
/// nobody's fault.
/// @param why For people.
void lose_attempt(JobStep& step, const JobExecutor& executor,
                  const AssignedTask& lost, ExecutorLoss loss,
                  const std::string& why);

} // namespace stoker
