#pragma once

// What an application's session takes and gives, and what its owner learns.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/all.hpp"
#include "scheduling/registration/end_reason.hpp"
#include "scheduling/registration/master_link.hpp"

namespace stoker {

// -- events -------------------------------------------------------------------

struct ApplicationStarted {};

/// The application wants to leave the cluster.
struct ApplicationStopRequested {
  /// Before its work was done.
  bool interrupted = false;

  /// Why its work could not be done.
  std::optional<std::string> failure;
};

/// UnregisterApplication was answered by `left`, or will not be (false).
struct UnregisterAnswered {
  bool left = false;
};

struct ApplicationTick {};

/// Besides these, ReportJobs: the application wants the master to know.
using ApplicationEvent
    = std::variant<ApplicationStarted, MasterConnected, MasterConnectionFailed,
                   MasterDisconnected, ApplicationStopRequested,
                   UnregisterAnswered, ReportJobs, ApplicationTick>;

/// What masters say to applications.
using MessageToApplication
    = std::variant<MasterInStandby, RegisteredApplication, ReconnectApplication,
                   ApplicationRemoved, WorkerRemoved, ExecutorAdded,
                   ExecutorUpdated, MasterChanged>;

// -- news ---------------------------------------------------------------------

/// Registered, for the first time or again after a lost connection.
/// The leader names all executors next, before it answers anything.
struct ApplicationConnected {
  AppId id;

  /// Of the leader.
  LeaderEpoch epoch;
};

/// Another master leads now, knows the application, and is connected.
struct ApplicationLeaderChanged {
  LeaderEpoch epoch;
};

/// The connection broke. Executors go on; a master is looked for. Told once until it is
/// registered again, however many connections break meanwhile.
struct ApplicationDisconnected {
  std::string reason;
};

/// All known masters were tried, and none leads and lets the application in. Told once in each
/// search, with the reasons of its first round (`FailedRound::reasons`).
struct ApplicationSearches {
  std::string reason;
};

/// The application is over: refused, removed, or without a master for too long.
/// It does not come back. What its executors wrote can still be asked for until it
/// is stopped, unless the master is lost.
struct ApplicationDead {
  EndReason reason = EndReason::removed;

  /// In one line.
  std::string message;
};

/// All that an application learns about itself.
using ApplicationNews
    = std::variant<ApplicationConnected, ApplicationLeaderChanged,
                   ApplicationDisconnected, ApplicationSearches,
                   ApplicationDead, ExecutorAdded, ExecutorUpdated,
                   WorkerRemoved>;

// -- effects ------------------------------------------------------------------

using ApplicationMessage
    = std::variant<RegisterApplication, ApplicationHeartbeat,
                   MasterChangeAcknowledged, ReportJobs>;

struct SendApplicationMessage {
  ApplicationMessage message;
};

/// Ask, and feed UnregisterAnswered back.
struct AskToLeave {
  UnregisterApplication message;
};

struct InformApplication {
  ApplicationNews news;
};

/// Feed ApplicationTick back at `when`.
struct ApplicationWakeAt {
  Instant when;
};

/// Nothing follows. Whoever waits for the application to have left is told
/// whether it has, as far as that is known.
struct EndApplicationSession {
  bool left = false;
};

using ApplicationEffect
    = std::variant<ConnectToMaster, SendApplicationMessage, AskToLeave,
                   InformApplication, ApplicationWakeAt, EndApplicationSession>;

using ApplicationEffects = std::vector<ApplicationEffect>;

} // namespace stoker
