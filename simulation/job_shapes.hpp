#pragma once

// What a simulated driver wants done, from a seed.

#include <cstdint>

#include "scheduling/jobs/jobs_config.hpp"
#include "scheduling/jobs/stage_spec.hpp"
#include "simulation/scenario.hpp"

namespace stoker::simulation {

JobsConfig jobs_config_shape(const Scenario& scenario);

/// Some of its stages are barrier stages.
/// @param job Without them.
JobSpec with_barriers(const Scenario& scenario, JobSpec job,
                      std::int32_t next_stage);

/// Stages of the next job: each may read some of those before it, and some of `had`,
/// which earlier jobs have left. Those that nobody reads have results.
/// @param next_stage The number of the first new one.
JobSpec job_shape(const Scenario& scenario, std::int64_t shape, JobId id,
                  std::int32_t next_stage, const std::vector<StageSpec>& had);

} // namespace stoker::simulation
