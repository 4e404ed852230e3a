#pragma once

// Workers: registration, heartbeats, what they report, how they leave.

#include <string>
#include <vector>

#include "messages/all.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

// -- events -------------------------------------------------------------------

void handle(Step& step, const RegisterWorker& x);
void handle(Step& step, const Heartbeat& x);
void handle(Step& step, const WorkerLatestState& x);
void handle(Step& step, const WorkerSchedulerStateResponse& x);
void handle(Step& step, const WorkerDecommissioning& x);
void handle(Step& step, const WorkerLeft& x);
void handle(Step& step, const DecommissionWorkers& x);

// -- what others need ---------------------------------------------------------

/// Takes in a worker. @pre Neither its id nor its address is in use.
WorkerKey add_worker(Step& step, const RegisterWorker& x);

/// Its state, in the table and in the ledger.
void set_state(Step& step, WorkerKey key, WorkerState state);

/// The connection to a worker broke.
void disconnect(Step& step, WorkerKey key);

/// When it is lost, if nothing is heard of it before.
[[nodiscard]] Instant deadline_of(const Step& step, const Worker& x);

/// Nobody counts as lost because of a time in which the master was stalled.
void postpone_workers(Step& step, Duration by);

/// A deadline of the worker may have come.
void check_worker(Step& step, WorkerKey key);

} // namespace stoker
