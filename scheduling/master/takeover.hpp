#pragma once

// A new leader: goes on from what is stored, and waits for those who were there. One
// that leads no longer forgets them.

#include "scheduling/master/events.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

/// What does not fit together in what is stored is left out: workers report what
/// they run, so that what is not known here is ended.
void handle(Step& step, const ElectedLeader& x);

/// It is STANDBY, with the configuration of its last leadership and nothing else.
void handle(Step& step, const LeadershipEnded& x);

/// A worker is there that can be given something: a new leader waits for the
/// others until they are silent.
void note_worker_is_there(Step& step);

/// Those who were restored may take so much longer to answer.
void postpone_recovery(Step& step, Duration by);

/// Schedules from now on, if nobody is waited for any more.
void finish_recovery(Step& step);

} // namespace stoker
