#pragma once

// What a worker's state machine is told, takes and gives.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/all.hpp"
#include "scheduling/registration/master_link.hpp"
#include "scheduling/registration/registration.hpp"
#include "scheduling/worker/worker_records.hpp"

namespace stoker {

/// What a worker is told once.
struct WorkerConfig {
  WorkerId id;
  EndpointId endpoint;
  std::string host;

  /// What the worker offers.
  int cores = 1;
  std::int64_t memory_mb = 1024;
  ResourceAddresses resources;

  /// Executors and drivers have their directories below it.
  std::string work_directory;

  /// Where programs find a master, as STOKER_MASTER. Empty: at the present one.
  std::string masters;

  /// What programs find in their environment, before their own.
  std::map<std::string, std::string> environment;

  /// A quarter of the master's patience [spark.worker.timeout].
  Duration heartbeat_interval = std::chrono::seconds{15};

  /// What has not been acknowledged is said again after so long.
  Duration repeat_after = std::chrono::seconds{5};

  /// How long programs have between TERM and KILL.
  Duration kill_grace = std::chrono::seconds{5};

  /// How long programs live on without this worker.
  Duration orphan_grace = std::chrono::seconds{10};

  /// Ended applications and drivers whose directories are kept
  /// [stoker.worker.retainedDirectories].
  int retained_directories = 200;

  RegistrationConfig registration;
};

/// Returns what is wrong with the configuration, in one line, or nothing.
std::optional<std::string> validate(const WorkerConfig& config);

// -- events that only a worker knows ------------------------------------------

struct WorkerStarted {};

/// The master has answered ExecutorStateChanged.
struct StateAcknowledged {
  AppId app_id;
  int exec_id = 0;
  ExecutorState state = ExecutorState::LAUNCHING;
};

/// `key` names an executor or driver as in StartProcess.
struct ProcessStarted {
  std::string key;
};
/// `exit_status` is set when the command itself is to blame: 127 not found, 126
/// not executable.
struct ProcessFailed {
  std::string key;
  std::string message;
  std::optional<int> exit_status;
};
struct ProcessEnded {
  std::string key;
  std::optional<int> exit_code;
  std::optional<int> signal;
};
/// The program's supervisor was killed, and the program with it.
struct ProcessLost {
  std::string key;
  std::string message;
};

/// AdoptProcess has found nothing: the program has never been started.
struct ProcessNotFound {
  std::string key;
};

struct WorkerTick {};

/// End everything, then stop.
struct WorkerStopRequested {};

using WorkerEvent = std::variant<
    WorkerStarted, MasterConnected, MasterConnectionFailed, MasterDisconnected,
    StateAcknowledged, ProcessStarted, ProcessFailed, ProcessEnded, ProcessLost,
    ProcessNotFound, ProgramsFound, WorkerTick, WorkerStopRequested,
    RegisteredWorker, RegisterWorkerFailed, MasterInStandby, ReconnectWorker,
    DecommissionWorker, MasterChanged, LaunchExecutor, KillExecutor,
    ApplicationFinished, LaunchDriver, KillDriver>;

// -- effects ------------------------------------------------------------------

using WorkerMessage = std::variant<RegisterWorker, Heartbeat, WorkerLatestState,
                                   WorkerSchedulerStateResponse,
                                   WorkerDecommissioning, DriverStateChanged>;

struct SendWorkerMessage {
  WorkerMessage message;
};

/// Ask, and feed StateAcknowledged back when the answer comes.
struct AskMaster {
  ExecutorStateChanged message;
};

/// Start a program under a supervisor, and feed its reports back. Store the
/// record first: what is not remembered must not run.
struct StartProcess {
  std::string key;
  Command command;
  std::string directory;
  ProgramRecord record;
};

/// Find a program of a dead worker again by its directory, and feed its reports
/// back, or ProcessNotFound.
struct AdoptProcess {
  std::string key;
  std::string directory;
};

/// Store the record in place of what was stored of the program.
struct RememberProgram {
  ProgramRecord record;
};

/// Remove what was stored of the program.
struct ForgetProgram {
  std::string key;
};

/// Store that nobody is to go on in this worker's name.
struct RememberLeaving {};

/// Take over what workers have left that have been dead all the time since this
/// one was started, and feed ProgramsFound back.
struct FindAbandoned {};

/// TERM, grace, KILL. An unknown key is harmless.
struct EndProcess {
  std::string key;
};

/// Delete a directory with all that is in it.
struct RemoveDirectory {
  std::string path;
};

/// Feed WorkerTick back at `when`.
struct WorkerWakeAt {
  Instant when;
};

/// The worker is at its end: `error` says why, empty when it was asked to.
struct StopWorker {
  std::string error;
};

using WorkerEffect
    = std::variant<ConnectToMaster, SendWorkerMessage, AskMaster, StartProcess,
                   EndProcess, AdoptProcess, RememberProgram, ForgetProgram,
                   RememberLeaving, FindAbandoned, RemoveDirectory,
                   WorkerWakeAt, StopWorker>;

using WorkerEffects = std::vector<WorkerEffect>;

} // namespace stoker
