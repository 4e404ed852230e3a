#pragma once

#include "messages/driver.hpp"
#include "messages/executor.hpp"
#include "messages/worker.hpp"
#include "scheduling/master/stored.hpp"
#include "spark/messages.hpp"

namespace stoker {

// What a worker of Spark's says, as workers of ours say it.

/// What a worker registers. Its version is left open, and so is the connection's stamp.
RegisterWorker to_registration(const spark::RegisterWorker& x);

/// What it has registered.
RegisterWorker to_registration(const StoredWorker& x);

/// What it runs. The question is left open.
WorkerLatestState to_report(const spark::WorkerLatestState& x);
WorkerLatestState to_report(const spark::WorkerSchedulerStateResponse& x);

ExecutorStateChanged to_change(const spark::ExecutorStateChanged& x);
DriverStateChanged to_change(const spark::DriverStateChanged& x);

} // namespace stoker
