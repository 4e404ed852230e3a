#pragma once

#include "embedding/job_settings.hpp"
#include "messages/result.hpp"
#include "scheduling/jobs/stage_spec.hpp"

namespace stoker {

/// How many executors of so many cores the largest barrier stage of a job needs at once;
/// 0: it has none.
int executors_at_once(const JobSpec& job, int executor_cores);

/// Fails if a barrier stage needs more executors at once than the settings ever allow:
/// spark.dynamicAllocation.maxExecutors, spark.executor.instances, spark.cores.max. Says
/// what is needed, and what there can be.
Status may_begin_together(const JobSpec& job, const JobSettings& settings);

} // namespace stoker
