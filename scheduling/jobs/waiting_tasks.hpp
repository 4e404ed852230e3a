#pragma once

#include <set>
#include <string>

#include "scheduling/jobs/job_state.hpp"

namespace stoker {

/// What tasks wait for, in words for people. Decides nothing.
class WaitingTasks {
public:
  /// Looks at each executor once.
  WaitingTasks(const JobsState& state, Instant now);

  /// "4 tasks wait for free cores: 8 of 8 are in use". Empty: no task of the stage
  /// waits that some job needs.
  [[nodiscard]] std::string why(const Stage& stage) const;

private:
  [[nodiscard]] std::string barrier_why(const Stage& stage) const;
  [[nodiscard]] std::string name_of(StageId id) const;
  [[nodiscard]] std::string missing_inputs(const Stage& stage) const;
  [[nodiscard]] std::string what_is_missing(const Stage& stage) const;
  [[nodiscard]] std::string stage_that_holds() const;
  [[nodiscard]] int excluded_from(const Stage& stage) const;
  [[nodiscard]] bool has_room(const Stage& stage) const;
  [[nodiscard]] std::set<WorkerId> full_disks(const Stage& stage) const;

  const JobsState& state_;
  Instant now_;

  /// Executors that get no more tasks.
  int leaving_ = 0;

  // Of the executors that get tasks.
  int executors_ = 0;
  int cores_ = 0;
  int used_cores_ = 0;
  int most_cores_ = 0;
};

} // namespace stoker
