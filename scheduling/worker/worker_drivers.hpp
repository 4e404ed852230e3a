#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduling/worker/worker_events.hpp"
#include "scheduling/worker/worker_step.hpp"

namespace stoker {

/// The drivers of a worker. A supervised one is started again when it fails,
/// after a pause that grows, as Spark's DriverRunner does:
///
///     launch           started            succeeded, failed, killed
///    -------> starting -------> running ----------------------------> ended
///                ^                 |                                   ^
///                |                 | failed, and is supervised         |
///                | pause is over   v                                   |
///                +-------------- pausing ------------------------------+
///                                          killed
///
/// The master does not acknowledge the end of a driver: it is told again after
/// each registration, so that a successor hears of it, too.
class WorkerDrivers {
public:
  void launch(WorkerStep& step, const LaunchDriver& x);

  /// Takes over a driver of a dead worker of the same id.
  void adopt(WorkerStep& step, const DriverRecord& x);

  void kill(WorkerStep& step, const DriverId& id);

  /// Ends what runs. Nothing is told of it.
  void end_running(WorkerStep& step);

  /// Ends all for good.
  void stop_all(WorkerStep& step);

  // Each returns false if the driver is not known here.
  bool on(WorkerStep& step, const DriverId& id, const ProcessStarted& x);
  bool on(WorkerStep& step, const DriverId& id, const ProcessFailed& x);
  bool on(WorkerStep& step, const DriverId& id, const ProcessEnded& x);
  bool on(WorkerStep& step, const DriverId& id, const ProcessLost& x);
  bool on(WorkerStep& step, const DriverId& id, const ProcessNotFound& x);

  /// Tells the master of all that have ended.
  void report_ended(WorkerStep& step);

  /// Tells the master how often each was started again, which it may have missed.
  void report_restarts(WorkerStep& step) const;

  /// Starts those whose pause is over.
  void restart_due(WorkerStep& step);

  /// When `restart_due` has something to do, if ever.
  [[nodiscard]] std::optional<Instant> due() const;

  /// Those that have not ended.
  [[nodiscard]] std::vector<DriverId> ids() const;

  [[nodiscard]] bool contains(const DriverId& id) const {
    return drivers_.contains(id);
  }
  [[nodiscard]] bool have_all_ended() const;

  /// Whether one is known here and has not ended for good.
  [[nodiscard]] bool is_active(const DriverId& id) const;

  /// Whether its process runs, or is about to.
  [[nodiscard]] bool runs(const DriverId& id) const;

  /// Starts so far; 1 for a driver that is not known here.
  [[nodiscard]] int attempts(const DriverId& id) const;

private:
  struct Driver {
    DriverDescription description;
    ResourceAddresses resources;
    bool kill_requested = false;
    bool runs = false;

    /// Starts so far, each in a directory of its own.
    int attempts = 0;
    Instant started;
    Duration restart_pause = std::chrono::seconds{1};
    std::optional<Instant> restart_at;

    /// Of the attempts that have ended.
    std::optional<ResourceUse> use;
    std::optional<DriverStateChanged> ended;
    std::optional<Instant> ended_at;
  };

  void start(WorkerStep& step, const DriverId& id);
  void end(WorkerStep& step, const DriverStateChanged& x, Duration ago = {});

  /// Its process has ended: ends the driver, or has it pause.
  void process_over(WorkerStep& step, const DriverId& id,
                    std::optional<int> exit_status, const std::string& message,
                    Duration ago);

  /// Tells the master of the end.
  static void tell_end(WorkerStep& step, const Driver& driver);

  void forget_oldest_ended(WorkerStep& step, const DriverId& but);
  [[nodiscard]] ProgramRecord record_of(const WorkerStep& step,
                                        const DriverId& id) const;

  std::map<DriverId, Driver> drivers_;
};

} // namespace stoker
