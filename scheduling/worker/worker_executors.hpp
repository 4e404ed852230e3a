#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduling/worker/worker_events.hpp"
#include "scheduling/worker/worker_step.hpp"

namespace stoker {

/// The executors of a worker, from the order to start them until the master has
/// acknowledged their end, and their application has their output if it reads
/// it:
///
///     launch             started          ended, failed, lost
///    -------> LAUNCHING ---------> RUNNING -------------------> finished
///                 |                                              |    |
///                 +----------------------------------------------+    |
///                   failed, lost, not found                           |
///                                   acknowledged and taken: forgotten v
///
/// Each state is reported to the master, again and again, until that one is
/// acknowledged or another state has followed.
class WorkerExecutors {
public:
  void launch(WorkerStep& step, const LaunchExecutor& x);

  /// Takes over an executor of a dead worker of the same id.
  void adopt(WorkerStep& step, const ExecutorRecord& x);

  void kill(WorkerStep& step, const ExecutorId& id);
  void kill_all_of(WorkerStep& step, const AppId& id);
  void end_all(WorkerStep& step);

  /// Ends those that are no instances.
  void end_serving(WorkerStep& step);

  // Each returns false if the executor does not run here.
  bool on(WorkerStep& step, const ExecutorId& id, const ProcessStarted& x);
  bool on(WorkerStep& step, const ExecutorId& id, const ProcessFailed& x);
  bool on(WorkerStep& step, const ExecutorId& id, const ProcessEnded& x);
  bool on(WorkerStep& step, const ExecutorId& id, const ProcessLost& x);
  bool on(WorkerStep& step, const ExecutorId& id, const ProcessNotFound& x);

  void acknowledge(WorkerStep& step, const StateAcknowledged& x);

  /// The application has all output of one that has ended.
  void output_taken(WorkerStep& step, const ExecutorId& id);

  /// Repeats what has not been acknowledged: all of it, or what is due.
  void report_all(WorkerStep& step);
  void report_due(WorkerStep& step);

  /// When `report_due` has something to do, if a master listens.
  [[nodiscard]] std::optional<Instant> due(const WorkerConfig& config) const;

  /// Those whose end the master has not acknowledged.
  [[nodiscard]] std::vector<ExecutorDescription> descriptions() const;
  [[nodiscard]] std::set<AppId> applications() const;

  [[nodiscard]] bool contains(const ExecutorId& id) const {
    return executors_.contains(id);
  }
  [[nodiscard]] bool empty() const noexcept {
    return executors_.empty();
  }

  /// Whether all have ended, acknowledged or not.
  [[nodiscard]] bool have_all_finished() const;

  /// Whether one has not ended.
  [[nodiscard]] bool runs(const ExecutorId& id) const;

  /// Whether one of the application's has not ended.
  [[nodiscard]] bool runs_any_of(const AppId& id) const;

  /// Whether the application of one reads its output.
  [[nodiscard]] bool is_read(const ExecutorId& id) const;

private:
  struct Executor {
    ExecutorDescription description;
    bool kill_requested = false;

    /// Which of its application's instances it is.
    std::optional<int> index;

    /// Its application reads its output, and does not have all of it.
    bool is_read = false;

    /// Reported, but not acknowledged yet.
    std::optional<ExecutorStateChanged> unacknowledged;
    Instant reported_at;

    std::optional<Instant> ended;
  };

  /// One that has not finished.
  [[nodiscard]] Executor* find(const ExecutorId& id);
  [[nodiscard]] const Executor* find(const ExecutorId& id) const;
  static void set_state(WorkerStep& step, Executor& executor,
                        ExecutorState state, std::optional<std::string> message,
                        std::optional<int> exit_status = std::nullopt,
                        const std::optional<ResourceUse>& use = std::nullopt,
                        Duration ago = {});

  /// Says the last state to the master, again or for the first time.
  static void report(WorkerStep& step, Executor& executor);
  static void request_kill(WorkerStep& step, Executor& executor);

  /// Forgets one about which nobody waits for anything.
  void forget_if_done(WorkerStep& step, const ExecutorId& id);
  [[nodiscard]] static ProgramRecord record_of(const WorkerStep& step,
                                               const Executor& executor);
  [[nodiscard]] static bool was_to_end(const WorkerStep& step,
                                       const Executor& executor);

  std::map<ExecutorId, Executor> executors_;
};

} // namespace stoker
