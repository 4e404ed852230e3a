#pragma once

#include <ostream>

#include "scheduling/jobs/jobs_snapshot.hpp"

namespace stoker {

/// For people: jobs, their stages, and the executors that run their tasks.
void print_jobs_snapshot(std::ostream& out, const JobsSnapshot& x);

} // namespace stoker
