#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduling/registration/registration.hpp"
#include "scheduling/worker/worker_events.hpp"

namespace stoker {

/// A worker's decisions: stays registered, runs what its master says under
/// supervisors, and reports every state until the master has acknowledged it.
///
/// Programs outlive the connection to the master: after a reconnection the
/// worker says what it still runs, and the master decides what stays. They
/// outlive the worker, too, for a while: one that is started in its name is told
/// of them by ProgramsFound, before WorkerStarted, and goes on with them. Those
/// of workers with other names it ends.
class WorkerLogic {
public:
  /// @pre `!validate(config)`
  explicit WorkerLogic(WorkerConfig config);

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
  void on(const ProcessNotFound& x);
  void on(const ProgramsFound& x);
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
  void tell(WorkerMessage message);
  void report(Executor& executor, ExecutorState state,
              std::optional<std::string> message,
              std::optional<int> exit_status);
  void say_again();
  [[nodiscard]] std::vector<ExecutorDescription> executor_descriptions() const;
  [[nodiscard]] std::vector<DriverId> driver_ids() const;

  void adopt(const ExecutorRecord& x);
  void adopt(const DriverRecord& x);
  void end_foreign_program(const std::string& key, std::string directory);
  void forget_foreign_program(const std::string& key);
  [[nodiscard]] ProgramRecord record_of(const Executor& executor) const;
  [[nodiscard]] ProgramRecord record_of(const DriverId& id) const;
  void request_kill(Executor& executor);

  [[nodiscard]] Executor* find_executor(const std::string& key);
  [[nodiscard]] Driver* find_driver(const std::string& key);
  void start_driver(const DriverId& id);
  void end_driver(const DriverId& id, DriverState state,
                  std::optional<std::string> message,
                  std::optional<int> exit_status);
  void driver_process_over(const DriverId& id, std::optional<int> exit_status,
                           const std::string& message);
  [[nodiscard]] std::string executor_directory(const AppId& app_id,
                                               int exec_id) const;
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

  /// Programs of other workers, by key, that are being ended.
  std::set<std::string> foreign_programs_;

  std::optional<Instant> heartbeat_at_;

  /// When workers that were found dead at the start count as gone for good.
  std::optional<Instant> find_abandoned_at_;
  bool programs_found_ = false;
  bool decommissioned_ = false;
  bool stopping_ = false;
  bool stopped_ = false;
  std::optional<Instant> stop_at_the_latest_;
  std::deque<std::string> retired_;
  std::optional<Instant> armed_for_;
};

} // namespace stoker
