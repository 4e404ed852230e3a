#pragma once

#include <variant>

#include "messages/all.hpp"

namespace stoker {

/// What can happen to a Cluster. Most events are messages as they arrive.
using Event = std::variant<
    ElectedLeader, CheckForWorkerTimeOut, EndpointLost, RegisterWorker,
    Heartbeat, WorkerLatestState, WorkerSchedulerStateResponse,
    WorkerDecommissioning, ExecutorStateChanged, DriverStateChanged,
    RegisterApplication, UnregisterApplication, MasterChangeAcknowledged,
    RequestExecutors, KillExecutors, RequestKillApplication,
    RequestSubmitDriver, RequestKillDriver, DecommissionWorkers>;

} // namespace stoker
