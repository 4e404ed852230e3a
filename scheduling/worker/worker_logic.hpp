#pragma once

#include <optional>
#include <string>

#include "scheduling/common/wake_up.hpp"
#include "scheduling/worker/output_source.hpp"
#include "scheduling/worker/worker_programs.hpp"

namespace stoker {

/// A worker's decisions: stays registered, runs what its master orders under
/// supervisors, and reports every state until the master has acknowledged it.
/// Its link to the master is a MasterLink, what it runs are WorkerPrograms.
///
///                 1                         3
///     SERVING ---------> DECOMMISSIONED --------> STOPPED
///        |                     |                     ^
///        | 2                   | 2                   | 3 or 4
///        +-----------------> STOPPING ---------------+
///
/// 1: the master takes the worker out of service. 2: the worker is asked to stop,
/// and ends all that it runs. 3: nothing runs any more. 4: that takes too long.
/// A worker that the master refuses, or that finds no master for too long, stops
/// at once from any state.
///
/// Programs outlive the connection to the master: after a reconnection the
/// worker reports what it still runs, and the master decides what stays. They
/// outlive the worker, too, for a while: a worker that is started with the same
/// id is told of them by ProgramsFound, before WorkerStarted, and adopts them.
/// It ends those of workers with other ids.
class WorkerLogic {
public:
  /// @pre `validate(config)`
  explicit WorkerLogic(WorkerConfig config);

  /// Something happened here.
  [[nodiscard]] WorkerEffects step(Instant now, const WorkerEvent& what);

  /// A master says `what`.
  [[nodiscard]] WorkerEffects hear(Instant now, const MessageOrigin& from,
                                   const MessageToWorker& what);

  [[nodiscard]] const WorkerConfig& config() const noexcept {
    return config_;
  }
  [[nodiscard]] const MasterLink& link() const noexcept {
    return link_;
  }

  /// Where a program of this worker writes its output. Nothing if it names none,
  /// or if its id cannot name a directory.
  /// Returns true if an application may fetch from the worker's shuffle service.
  [[nodiscard]] bool serves_shuffles() const {
    return programs_.serves_shuffles();
  }

  [[nodiscard]] std::optional<OutputSource>
  find_output(const OutputPosition& x) const;

private:
  enum class Phase { serving, decommissioned, stopping, stopped };

  /// When the worker has something to do by itself.
  struct Deadlines {
    std::optional<Instant> heartbeat;

    /// When workers that were found dead at the start count as gone for good.
    std::optional<Instant> find_abandoned;

    /// When executors that serve, of a worker that leaves, have had their time.
    std::optional<Instant> end_serving;

    /// When it stops even if something still runs.
    std::optional<Instant> stop;
  };

  void on(WorkerStep& step, const WorkerStarted& x);
  void on(WorkerStep& step, const MasterConnected& x);
  void on(WorkerStep& step, const MasterConnectionFailed& x);
  void on(WorkerStep& step, const MasterDisconnected& x);
  void on(WorkerStep& step, const RegisteredWorker& x);
  void on(WorkerStep& step, const RegisterWorkerFailed& x);
  void on(WorkerStep& step, const MasterInStandby& x);
  void on(WorkerStep& step, const ReconnectWorker& x);
  void on(WorkerStep& step, const DecommissionWorker& x);
  void on(WorkerStep& step, const MasterChanged& x);
  void on(WorkerStep& step, const ProgramsFound& x);
  void on(WorkerStep& step, const WorkerTick& x);
  void on(WorkerStep& step, const WorkerStopRequested& x);

  /// All others are about programs.
  template <class Event>
  void on(WorkerStep& step, const Event& x);

  [[nodiscard]] WorkerStep begin_step(Instant now, WorkerEffects& effects);
  void finish_step(WorkerStep& step);
  void act(WorkerStep& step, const MasterLink::Action& action);
  void repeat_that_it_leaves(WorkerStep& step);
  void accepted_by(WorkerStep& step, const std::string& master_url);
  void abort(WorkerStep& step, EndReason reason, std::string error);
  void stop_if_done(WorkerStep& step);

  WorkerConfig config_;
  MasterLink link_;
  WorkDirectories directories_;
  WorkerPrograms programs_;
  Phase phase_ = Phase::serving;
  Deadlines deadlines_;
  WakeUp wake_up_;
  Instant now_;
  std::string master_url_;
  bool programs_found_ = false;
};

} // namespace stoker
