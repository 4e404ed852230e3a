#pragma once

#include <optional>
#include <string>
#include <type_traits>
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

/// This master leads no longer, and forgets all that it knew: what was not stored is
/// no longer so. `why` is for people.
struct LeadershipEnded {
  std::string why;

  friend bool operator==(const LeadershipEnded&, const LeadershipEnded&)
      = default;
};
BOOST_DESCRIBE_STRUCT(LeadershipEnded, (), (why))

template <>
inline constexpr const char* message_name<LeadershipEnded> = "LeadershipEnded";

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
    = std::variant<ElectedLeader, LeadershipEnded, CheckForWorkerTimeOut,
                   MasterStalled, EndpointLost, RegisterWorker, Heartbeat,
                   WorkerLatestState, WorkerSchedulerStateResponse,
                   WorkerDecommissioning, WorkerLeft, ExecutorStateChanged,
                   DriverStateChanged, RegisterApplication,
                   ApplicationHeartbeat, UnregisterApplication,
                   MasterChangeAcknowledged, RequestExecutors, KillExecutors,
                   SetSparkVersion, RequestKillApplication, RequestSubmitDriver,
                   RequestKillDriver, DecommissionWorkers, ReconfigureTenants>;

/// The type of the answer to an event; void for one that is no request.
template <class T>
struct AnswerTo : std::type_identity<void> {};
template <>
struct AnswerTo<ExecutorStateChanged> : std::type_identity<bool> {};
template <>
struct AnswerTo<UnregisterApplication> : std::type_identity<bool> {};
template <>
struct AnswerTo<RequestExecutors> : std::type_identity<bool> {};
template <>
struct AnswerTo<KillExecutors> : std::type_identity<bool> {};
template <>
struct AnswerTo<SetSparkVersion> : std::type_identity<bool> {};
template <>
struct AnswerTo<RequestKillApplication>
    : std::type_identity<KillApplicationResponse> {};
template <>
struct AnswerTo<RequestSubmitDriver>
    : std::type_identity<SubmitDriverResponse> {};
template <>
struct AnswerTo<RequestKillDriver> : std::type_identity<KillDriverResponse> {};
template <>
struct AnswerTo<DecommissionWorkers>
    : std::type_identity<DecommissionWorkersResponse> {};
template <>
struct AnswerTo<ReconfigureTenants> : std::type_identity<bool> {};

[[nodiscard]] bool is_request(const Event& x);

/// Who names itself in an event as its sender, and wants to be answered there;
/// empty if nobody does.
[[nodiscard]] const EndpointId& sender_of(const Event& x);

/// Of a registration.
[[nodiscard]] std::optional<ConnectionStamp> stamp_of(const Event& x);

} // namespace stoker
