#pragma once

// What happens to a worker, and what masters say to it.

#include <optional>
#include <string>
#include <variant>

#include "messages/all.hpp"
#include "scheduling/registration/master_link.hpp"
#include "scheduling/worker/worker_records.hpp"

namespace stoker {

struct WorkerStarted {};

/// The master has answered ExecutorStateChanged.
struct StateAcknowledged {
  ExecutorId id;
  ExecutorState state = ExecutorState::LAUNCHING;
};

// -- reports about a program of StartProcess or AdoptProcess ------------------

struct ProcessStarted {
  ProgramId id;
};

/// `exit_status` is set when the command itself is to blame: 127 not found, 126
/// not executable.
struct ProcessFailed {
  ProgramId id;
  std::string message;
  std::optional<int> exit_status;
};

struct ProcessEnded {
  ProgramId id;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<ResourceUse> use;

  /// How long ago, if that was while no worker watched.
  Duration ago{};
};

/// The program's supervisor was killed, and the program with it.
struct ProcessLost {
  ProgramId id;
  std::string message;
};

/// AdoptProcess has found nothing: the program has never been started.
struct ProcessNotFound {
  ProgramId id;
};

/// The application has all output of an executor that has ended.
struct OutputTaken {
  ExecutorId id;
};

/// An executor of the application has told the worker's shuffle service where it writes.
struct ShuffleServed {
  AppId app_id;
};

// -- time and the end ---------------------------------------------------------

struct WorkerTick {};

/// End everything, then stop.
struct WorkerStopRequested {};

using WorkerEvent
    = std::variant<WorkerStarted, MasterConnected, MasterConnectionFailed,
                   MasterDisconnected, StateAcknowledged, ProcessStarted,
                   ProcessFailed, ProcessEnded, ProcessLost, ProcessNotFound,
                   OutputTaken, ShuffleServed, ProgramsFound, WorkerTick,
                   WorkerStopRequested>;

/// What masters say to workers.
using MessageToWorker
    = std::variant<RegisteredWorker, RegisterWorkerFailed, MasterInStandby,
                   ReconnectWorker, DecommissionWorker, MasterChanged,
                   LaunchExecutor, KillExecutor, ApplicationFinished,
                   LaunchDriver, KillDriver>;

} // namespace stoker
