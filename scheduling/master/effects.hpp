#pragma once

// What a Cluster wants done, in this order.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "messages/all.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// Commit these changes before any later effect, of this step or another, is
/// carried out. The first of its step.
struct Persist {
  Changes changes;

  friend bool operator==(const Persist&, const Persist&) = default;
};

/// All that a master says to workers and applications.
using MasterMessage
    = std::variant<RegisteredWorker, RegisterWorkerFailed, MasterInStandby,
                   ReconnectWorker, DecommissionWorker, KillExecutor,
                   KillDriver, ApplicationFinished, RegisteredApplication,
                   ApplicationRemoved, WorkerRemoved, ExecutorAdded,
                   ExecutorUpdated, MasterChanged>;

/// Tell a peer. Nothing happens when it is not connected.
struct Send {
  EndpointId to;
  MasterMessage message;

  friend bool operator==(const Send&, const Send&) = default;
};
BOOST_DESCRIBE_STRUCT(Send, (), (to, message))

/// Tell a worker to LaunchExecutor. Carries no description, which the Cluster
/// has (`Cluster::description`): one application may start thousands.
struct StartExecutor {
  EndpointId to;
  AppId app_id;
  int exec_id = 0;
  int cores = 0;
  std::int64_t memory_mb = 0;
  std::optional<int> index;
  ResourceAddresses resources;

  friend bool operator==(const StartExecutor&, const StartExecutor&) = default;
};
BOOST_DESCRIBE_STRUCT(StartExecutor, (),
                      (to, app_id, exec_id, cores, memory_mb, index, resources))

/// Tell a worker to LaunchDriver. The Cluster has the description
/// (`Cluster::driver_description`).
struct StartDriver {
  EndpointId to;
  DriverId driver_id;
  ResourceAddresses resources;

  friend bool operator==(const StartDriver&, const StartDriver&) = default;
};
BOOST_DESCRIBE_STRUCT(StartDriver, (), (to, driver_id, resources))

using Answer
    = std::variant<bool, SubmitDriverResponse, KillDriverResponse,
                   KillApplicationResponse, DecommissionWorkersResponse>;

/// Answer the request that caused this step.
struct Reply {
  Answer answer;

  friend bool operator==(const Reply&, const Reply&) = default;
};
BOOST_DESCRIBE_STRUCT(Reply, (), (answer))

/// Feed CheckForWorkerTimeOut back at `when`. Earlier ones need not be
/// cancelled.
struct WakeAt {
  Instant when;

  friend bool operator==(const WakeAt&, const WakeAt&) = default;
};

using Effect
    = std::variant<Send, StartExecutor, StartDriver, Reply, WakeAt, Persist>;

using Effects = std::vector<Effect>;

} // namespace stoker
