#pragma once

#include <variant>

#include "messages/all.hpp"
#include "messages/tenants_config.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// This master leads from now on, and goes on from what is stored.
struct ElectedLeader {
  LeaderEpoch epoch;
  StoredState stored;

  friend bool operator==(const ElectedLeader&, const ElectedLeader&) = default;
};
BOOST_DESCRIBE_STRUCT(ElectedLeader, (), (epoch, stored))

template <>
inline constexpr const char* message_name<ElectedLeader> = "ElectedLeader";

/// The rules for tenants change. Answered by false where there are none, or the
/// new ones cannot be.
struct ReconfigureTenants {
  TenantsConfig tenants;

  friend bool operator==(const ReconfigureTenants&, const ReconfigureTenants&)
      = default;
};
BOOST_DESCRIBE_STRUCT(ReconfigureTenants, (), (tenants))

template <>
inline constexpr const char*
    message_name<ReconfigureTenants> = "ReconfigureTenants";

/// What can happen to a Cluster. Most events are messages as they arrive.
using Event
    = std::variant<ElectedLeader, CheckForWorkerTimeOut, EndpointLost,
                   RegisterWorker, Heartbeat, WorkerLatestState,
                   WorkerSchedulerStateResponse, WorkerDecommissioning,
                   ExecutorStateChanged, DriverStateChanged,
                   RegisterApplication, UnregisterApplication,
                   MasterChangeAcknowledged, RequestExecutors, KillExecutors,
                   RequestKillApplication, RequestSubmitDriver,
                   RequestKillDriver, DecommissionWorkers, ReconfigureTenants>;

} // namespace stoker
