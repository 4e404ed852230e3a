#pragma once

#include "messages/result.hpp"
#include "scheduling/common/wake_up.hpp"
#include "scheduling/jobs/job_events.hpp"
#include "scheduling/jobs/job_state.hpp"

namespace stoker {

/// Shares an application's executors between the tasks of its jobs: which stage's
/// tasks can begin, which executor gets which, what follows when one fails, when an
/// executor is lost, or an output. A pure state machine: events and the time go in,
/// effects come out.
///
///     JobSubmitted -> stages active -> StartTasks -> StatusUpdates -> AcceptResult
///                        ^                              |     |         -> JobEnded
///                        +-- outputs are there ---------+     |
///                        +-- tried again, or made again ------+
///
/// Promises: of each task of a stage with results exactly one result is accepted
/// before its job ends well, and none after the job's end; what is said of attempts
/// that do not count any more changes nothing.
class JobScheduler {
public:
  /// @pre `validate(config)`
  explicit JobScheduler(JobsConfig config);

  [[nodiscard]] JobsEffects step(Instant now, const JobsEvent& what);

  [[nodiscard]] const JobsState& state() const noexcept {
    return state_;
  }

private:
  JobsState state_;
  WakeUp wake_up_;
};

/// Whether a job can run with these settings: `validate`, and no second attempts where a
/// barrier keeps tasks together.
Status may_run(const JobsConfig& config, const JobSpec& job);

/// Whether the job can be submitted: `may_run`, a number that is new, and stages that
/// are as they were.
Status may_submit(const JobsState& state, const JobSpec& job);

} // namespace stoker
