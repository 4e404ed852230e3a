#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "embedding/job_session.hpp"
#include "embedding/run_observer.hpp"

namespace stoker {

/// The one stage of the one job that instances of `x` are which begin together: a
/// barrier stage, of a task for each instance. A task has all cores of its executor.
/// @pre `x` has `instances` and `cores_per_executor`
JobSpec gang_job(const ApplicationDescription& x);

/// Runs an application of instances that begin together, can wait for each other, and are
/// started again together, to its end and brings its output back. Each instance is the
/// task of an executor of its own (scheduling/jobs).
class GangRun {
public:
  /// @param config `application` is as for an ApplicationRun: its command is that of the
  /// instances, and with `max_failures` of them all are started again.
  /// @param observer Must outlive this object.
  static Result<std::unique_ptr<GangRun>> start(ActorNetwork& network,
                                                ConnectorActor connector,
                                                JobSessionConfig config,
                                                RunObserver& observer);
  ~GangRun();

  GangRun(const GangRun&) = delete;
  GangRun& operator=(const GangRun&) = delete;

  /// Returns when all instances are done, or one is for good not, and their output has
  /// been brought. Called once.
  RunOutcome wait();

  /// Ends it early. May be called from a signal handler.
  void interrupt() noexcept {
    interrupted_ = true;
  }

  /// Ends it early as failed, because of what its observer has met. Called by that alone.
  void fail(const std::string& why);

private:
  class Impl;
  explicit GangRun(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
  std::atomic<bool> interrupted_ = false;
};

} // namespace stoker
