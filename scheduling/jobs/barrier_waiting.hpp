#pragma once

// Barrier stages that wait for slots: all of their tasks begin in one step, or none. Then
// they hold nothing, but for a while after they have waited long.

#include <cstdint>
#include <optional>

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

/// How many tasks of the stage all executors could run at once that it may use, whatever
/// runs there now.
std::int64_t slots_in_all(const JobsState& state, const Stage& stage,
                          Instant now);

/// How many of its tasks could begin now, counted up to all of them.
int free_slots(const JobsState& state, const Stage& stage, Instant now);

/// Begins all tasks if there are slots for them now, and nothing of an earlier attempt is
/// left. Each goes where it had better run, as far as there are slots. Returns whether
/// they begin.
bool offer_together(JobStep& step, Stage& stage);

/// All of its tasks wait, and may begin.
void begin_waiting(JobStep& step, Stage& stage);

/// They begin, or may not begin any more. What others did not get because of it is for
/// them.
void end_waiting(JobsState& state, Stage& stage);

/// Whether stages that come after it get nothing: it has waited for long.
bool holds_slots(const Stage& stage, Instant now);

/// Looks at the stages whose time has come. Ends the jobs of those for which there were
/// too few slots in all for too long.
void look_at_waiting(JobStep& step);

/// When one has to be looked at.
std::optional<Instant> next_look(const JobsState& state);

} // namespace stoker
