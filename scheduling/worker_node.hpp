#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/all.hpp"
#include "scheduling/master_link.hpp"
#include "scheduling/registration.hpp"

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

struct WorkerTick {};

/// End everything, then stop.
struct WorkerStopRequested {};

using WorkerEvent
    = std::variant<WorkerStarted, MasterConnected, MasterConnectionFailed,
                   MasterDisconnected, StateAcknowledged, ProcessStarted,
                   ProcessFailed, ProcessEnded, ProcessLost, WorkerTick,
                   WorkerStopRequested, RegisteredWorker, RegisterWorkerFailed,
                   MasterInStandby, ReconnectWorker, DecommissionWorker,
                   MasterChanged, LaunchExecutor, KillExecutor,
                   ApplicationFinished, LaunchDriver, KillDriver>;

// -- effects ------------------------------------------------------------------

using WorkerNotice = std::variant<RegisterWorker, Heartbeat, WorkerLatestState,
                                  WorkerSchedulerStateResponse,
                                  WorkerDecommissioning, DriverStateChanged>;

struct TellMaster {
  WorkerNotice message;
};

/// Ask, and feed StateAcknowledged back when the answer comes.
struct AskMaster {
  ExecutorStateChanged message;
};

/// Start a program under a supervisor, and feed its reports back.
struct StartProcess {
  std::string key;
  Command command;
  std::string directory;
};

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
    = std::variant<ConnectToMaster, TellMaster, AskMaster, StartProcess,
                   EndProcess, RemoveDirectory, WorkerWakeAt, StopWorker>;

using WorkerEffects = std::vector<WorkerEffect>;

// -- the state machine --------------------------------------------------------

/// A worker's decisions: stays registered, runs what its master says under
/// supervisors, and reports every state until the master has acknowledged it.
///
/// Programs outlive the connection to the master: after a reconnection the
/// worker says what it still runs, and the master decides what stays.
class WorkerNode {
public:
  /// @pre `!validate(config)`
  explicit WorkerNode(WorkerConfig config);

  /// `from`: the leadership that a master speaks for who says `what`. One that
  /// has been replaced is not heeded, but left.
  [[nodiscard]] WorkerEffects step(Instant now, const WorkerEvent& what,
                                   LeaderEpoch from = {});

  [[nodiscard]] const WorkerConfig& config() const noexcept {
    return config_;
  }

  /// Whether an executor or driver is still to come to its end here. One that
  /// has not been started yet has written nothing.
  [[nodiscard]] bool has(const RequestLog& request) const;

  /// Where an executor or driver of this worker writes its output.
  [[nodiscard]] std::optional<std::string>
  log_directory(const RequestLog& request) const;

private:
  struct Executor {
    ExecutorDescription description;
    bool kill_requested = false;

    /// Said, but not acknowledged yet.
    std::optional<ExecutorStateChanged> unacknowledged;
    Instant said_at;
  };

  struct Driver {
    DriverDescription description;
    ResourceAddresses resources;
    DriverState state = DriverState::SUBMITTED;
    bool kill_requested = false;
    bool runs = false;

    /// Starts so far, each in a directory of its own.
    int attempts = 0;
    Instant started;
    Duration restart_pause = std::chrono::seconds{1};
    std::optional<Instant> restart_at;
    std::optional<DriverStateChanged> ended;
  };

  void on(const WorkerStarted& x);
  void on(const MasterConnected& x);
  void on(const MasterConnectionFailed& x);
  void on(const MasterDisconnected& x);
  void on(const StateAcknowledged& x);
  void on(const ProcessStarted& x);
  void on(const ProcessFailed& x);
  void on(const ProcessEnded& x);
  void on(const ProcessLost& x);
  void on(const WorkerTick& x);
  void on(const WorkerStopRequested& x);
  void on(const RegisteredWorker& x);
  void on(const RegisterWorkerFailed& x);
  void on(const MasterInStandby& x);
  void on(const ReconnectWorker& x);
  void on(const DecommissionWorker& x);
  void on(const MasterChanged& x);
  void on(const LaunchExecutor& x);
  void on(const KillExecutor& x);
  void on(const ApplicationFinished& x);
  void on(const LaunchDriver& x);
  void on(const KillDriver& x);

  void act(const Registration::Action& action);
  void abort(std::string reason);
  void tell(WorkerNotice message);
  void report(Executor& executor, ExecutorState state,
              std::optional<std::string> message,
              std::optional<int> exit_status);
  void say_again();
  [[nodiscard]] std::vector<ExecutorDescription> executor_descriptions() const;
  [[nodiscard]] std::vector<DriverId> driver_ids() const;

  [[nodiscard]] Executor* find_executor(const std::string& key);
  [[nodiscard]] Driver* find_driver(const std::string& key);
  void start_driver(const DriverId& id);
  void end_driver(const DriverId& id, DriverState state,
                  std::optional<std::string> message,
                  std::optional<int> exit_status);
  void driver_process_over(const DriverId& id, std::optional<int> exit_status,
                           const std::string& message);
  [[nodiscard]] std::string driver_directory(const DriverId& id,
                                             int attempt) const;
  void retire_directory(std::string path);
  void stop_if_done();
  [[nodiscard]] bool runs_anything() const;
  void arm();

  WorkerConfig config_;
  Registration registration_;
  Instant now_;
  WorkerEffects out_;
  std::string master_url_;

  /// The latest leadership that was heard of.
  LeaderEpoch epoch_;

  /// By key, which is `to_string(ExecutorId)`.
  std::map<std::string, Executor> executors_;
  std::map<DriverId, Driver> drivers_;

  std::optional<Instant> heartbeat_at_;
  bool decommissioned_ = false;
  bool stopping_ = false;
  bool stopped_ = false;
  std::optional<Instant> stop_at_the_latest_;
  std::deque<std::string> retired_;
  std::optional<Instant> armed_for_;
};

} // namespace stoker
