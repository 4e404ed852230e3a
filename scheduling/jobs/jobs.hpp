#pragma once

// Jobs: submitted, cancelled, ended.

#include <string>

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

void on(JobStep& step, const JobSubmitted& x);
void on(JobStep& step, const JobCancelled& x);
void on(JobStep& step, const StagesReleased& x);

/// All that is only there for the job ends with it. An unknown job is passed over.
void end_job(JobStep& step, JobEnded x);

/// Those that have the stage and have not ended.
/// @param status Of the attempt that is to blame; null: none is.
void fail_jobs_of(JobStep& step, const Stage& stage, const std::string& why,
                  const TaskStatus* status = nullptr);

} // namespace stoker
