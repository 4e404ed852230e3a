#pragma once

#include <map>
#include <utility>
#include <vector>

#include "scheduling/jobs/job_events.hpp"
#include "scheduling/jobs/job_state.hpp"

namespace stoker {

/// What the parts of a JobScheduler share during one step.
struct JobStep {
  Instant now;
  JobsState& state;

  /// What follows, in order.
  JobsEffects& effects;

  /// Launches of this step, one message for each executor: sent at its end.
  std::map<int, std::vector<TaskAttempt>> launches;

  void add(JobsEffect x) const {
    effects.push_back(std::move(x));
  }
};

} // namespace stoker
