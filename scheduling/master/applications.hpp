#pragma once

// Applications: registration, what they ask for, how they end.

#include <string>

#include "messages/all.hpp"
#include "scheduling/master/events.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

// -- events -------------------------------------------------------------------

void handle(Step& step, const RegisterApplication& x);
void handle(Step& step, const ApplicationHeartbeat& x);
void handle(Step& step, const UnregisterApplication& x);
void handle(Step& step, const MasterChangeAcknowledged& x);
void handle(Step& step, const RequestExecutors& x);
void handle(Step& step, const KillExecutors& x);
void handle(Step& step, const RequestKillApplication& x);

// -- what others need ---------------------------------------------------------

/// One that waits for nobody (any more) stands in its queue from now on.
void begin_application(Step& step, AppKey key);

/// Ends an application with all its executors.
void remove_application(Step& step, AppKey key, ApplicationState final_state,
                        const std::string& message);

/// Keeps one that has ended for viewing, in place of the oldest.
void keep_ended(Step& step, EndedApplication ended);

/// The connection to its driver broke.
void disconnect(Step& step, AppKey key);

/// Whose driver is away may take so much longer to come back.
void postpone_applications(Step& step, Duration by);

/// A deadline of the application may have come.
void check_application(Step& step, AppKey key);

} // namespace stoker
