#pragma once

#include <algorithm>

#include "scheduling/jobs/jobs_config.hpp"
#include "scheduling/jobs/stage.hpp"

namespace stoker {

/// How many tasks of a stage may wait at an executor for each of its slots: what is done
/// in `queued_work`, and a fraction where tasks take longer. 0: none, since nobody knows
/// yet how long they take.
inline double tasks_ahead_of_slot(const JobsConfig& config,
                                  const Stage& stage) {
  if (stage.run_times.count() == 0)
    return 0;
  // Shorter ones cannot be told apart from this.
  constexpr double shortest_ms = 0.02;
  return static_cast<double>(config.queued_work.count())
         / std::max(stage.run_times.mean_ms(), shortest_ms);
}

} // namespace stoker
