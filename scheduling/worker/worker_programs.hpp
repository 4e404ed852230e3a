#pragma once

#include <optional>
#include <set>
#include <string>

#include "scheduling/worker/served_outputs.hpp"
#include "scheduling/worker/spark_files.hpp"
#include "scheduling/worker/worker_drivers.hpp"
#include "scheduling/worker/worker_executors.hpp"

namespace stoker {

/// What a worker runs, and what it has to end: its executors, its drivers, and
/// foreign programs. Those are programs of dead workers with other ids, which it
/// has found and ends.
class WorkerPrograms {
public:
  explicit WorkerPrograms(const WorkerConfig& config);

  void on(WorkerStep& step, const LaunchExecutor& x);
  void on(WorkerStep& step, const KillExecutor& x);
  void on(WorkerStep& step, const ApplicationFinished& x);
  void on(WorkerStep& step, const LaunchDriver& x);
  void on(WorkerStep& step, const KillDriver& x);
  void on(WorkerStep& step, const StateAcknowledged& x);
  void on(WorkerStep& step, const ProgramsFound& x);
  void on(WorkerStep& step, const ProcessStarted& x);
  void on(WorkerStep& step, const ProcessFailed& x);
  void on(WorkerStep& step, const ProcessEnded& x);
  void on(WorkerStep& step, const ProcessLost& x);
  void on(WorkerStep& step, const ProcessNotFound& x);
  void on(WorkerStep& step, const OutputTaken& x);
  void on(WorkerStep& step, const ShuffleServed& x);

  /// Time has passed.
  void tick(WorkerStep& step);

  /// Tells a master that has just accepted the worker of all that it may not
  /// know.
  void report_all(WorkerStep& step);

  /// Ends what runs. Nothing is told of it.
  void end_running(WorkerStep& step);

  /// Ends all for good, and reports that.
  void stop_all(WorkerStep& step);

  /// Ends executors that do not end by themselves, and waits no longer for applications that
  /// fetch from the shuffle service.
  void end_serving(WorkerStep& step);

  /// When `tick` has something to do, if ever.
  [[nodiscard]] std::optional<Instant> due(const WorkerStep& step) const;

  /// Returns true if nothing runs here any more, no application fetches from the shuffle
  /// service, and the master knows of all ends as far as one listens.
  [[nodiscard]] bool is_done(const WorkerStep& step) const;

  [[nodiscard]] const WorkerExecutors& executors() const noexcept {
    return executors_;
  }
  [[nodiscard]] const WorkerDrivers& drivers() const noexcept {
    return drivers_;
  }

  [[nodiscard]] bool contains(const ProgramId& id) const;

  /// Returns true if an application may fetch from the worker's shuffle service.
  [[nodiscard]] bool serves_shuffles() const {
    return spark_files_.serves_any();
  }

private:
  /// Hands a report about a process to its owner. Returns false if the program
  /// is foreign, or not known at all.
  template <class Report>
  bool pass_on(WorkerStep& step, const Report& x);

  void adopt(WorkerStep& step, const ProgramRecord& x);
  void end_foreign_program(WorkerStep& step, const ProgramId& id,
                           std::string directory);
  void forget_foreign_program(WorkerStep& step, const ProgramId& id);

  WorkerExecutors executors_;
  WorkerDrivers drivers_;
  ServedOutputs outputs_;
  SparkFiles spark_files_;

  /// Those that are being ended.
  std::set<ProgramId> foreign_programs_;
};

} // namespace stoker
