#pragma once

// What follows from one step of a Cluster.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "messages/all.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// All that a master sends to workers and applications.
using MasterMessage
    = std::variant<RegisteredWorker, RegisterWorkerFailed, MasterInStandby,
                   ReconnectWorker, DecommissionWorker, KillExecutor,
                   KillDriver, ApplicationFinished, RegisteredApplication,
                   ReconnectApplication, ApplicationRemoved, WorkerRemoved,
                   ExecutorAdded, ExecutorUpdated, MasterChanged>;

/// Send this to a peer. Nothing happens when it is not connected.
struct Send {
  EndpointId to;
  MasterMessage message;

  friend bool operator==(const Send&, const Send&) = default;
};
BOOST_DESCRIBE_STRUCT(Send, (), (to, message))

/// Send LaunchExecutor to a worker. Carries no description, which the Cluster
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

/// Send LaunchDriver to a worker. The Cluster has the description
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

using OutgoingMessage = std::variant<Send, StartExecutor, StartDriver, Reply>;
using OutgoingMessages = std::vector<OutgoingMessage>;

/// Commit the changes; then send the messages, in order. All messages of earlier
/// steps go first.
struct StepResult {
  /// Empty where nothing is stored (`ClusterConfig::durable`).
  Changes changes;
  OutgoingMessages messages;

  /// Feed CheckForWorkerTimeOut back at this time. Earlier wake-ups need not be
  /// cancelled.
  std::optional<Instant> wake_at;

  friend bool operator==(const StepResult&, const StepResult&) = default;
};

} // namespace stoker
