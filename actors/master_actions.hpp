#pragma once

// Carries out what a MasterLogic decides.

#include <memory>
#include <string>

#include "actors/master.hpp"

namespace stoker {

/// Does what the logic has decided, after what it has decided before.
void perform(MasterSelf self, MasterActions actions);

/// Writes each step to the message log, and what people want to know of it to
/// the log; counts it.
std::unique_ptr<StepObserver> make_step_writer(const MasterServices& services);

/// Logs and counts what somebody may not say.
void note_refusal(MasterSelf self, const std::string& why);

/// To be called when one comes or goes.
void count_peers(MasterSelf self);

/// Fails what was passed on over a connection and will not be answered.
void abandon_passed_on(MasterSelf self, PeerNumber peer);

} // namespace stoker
