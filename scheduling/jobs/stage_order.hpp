#pragma once

#include <optional>
#include <set>

#include "scheduling/jobs/job_state.hpp"

namespace stoker {

/// The stage that is served next, of some that have tasks to begin: the first pool by
/// the application's mode, in it the first stage by the pool's mode. FIFO: by the
/// number of the stage's first job, then by its own. FAIR, as in Spark: what is below
/// its least share comes first, by how much of it is used; else what runs least for
/// its weight.
std::optional<StageId> first_stage(const JobsState& state,
                                   const std::set<StageId>& of);

} // namespace stoker
