#pragma once

// Carries out what a MasterLogic decides.

#include <memory>
#include <string>

#include "actors/master.hpp"

namespace stoker {

/// Does what the logic has decided, after what it has decided before.
void perform(MasterSelf self, MasterActions actions);

/// Writes each step to the message log, and what people want to know of it to
/// the log.
std::unique_ptr<StepObserver>
make_step_writer(std::shared_ptr<MessageLogWriter> log);

/// Fails what was passed on over a connection and will not be answered.
void abandon_passed_on(MasterSelf self, PeerNumber peer);

} // namespace stoker
