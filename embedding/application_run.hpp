#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "actors/app_client.hpp"
#include "embedding/run_progress.hpp"
#include "network/actor_network.hpp"

namespace stoker {

/// Sees an application run. Called on the thread that calls
/// ApplicationRun::wait.
class RunObserver {
public:
  virtual ~RunObserver() = default;

  virtual void registered(const AppId&) {
  }
  virtual void disconnected(const std::string& reason) {
    static_cast<void>(reason);
  }
  virtual void searching(const std::string& reason) {
    static_cast<void>(reason);
  }
  virtual void executor_added(const ExecutorAdded&) {
  }
  virtual void executor_updated(const ExecutorUpdated&, int index) {
    static_cast<void>(index);
  }

  /// What instance `index` wrote, as it comes.
  virtual void output(int index, bool standard_error, std::string_view data) {
    static_cast<void>(index);
    static_cast<void>(standard_error);
    static_cast<void>(data);
  }

  /// Called now and then.
  virtual void progress(const RunProgress&) {
  }
};

struct RunOutcome {
  /// As for a process: 0, or what the command that failed ended with.
  int exit_status = 0;

  /// One line, empty when all instances are done.
  std::string error;

  /// Whether no master was found, or it was lost.
  bool master_lost = false;

  bool interrupted = false;
};

/// Runs an application of instances to its end and brings its output back.
class ApplicationRun {
public:
  /// @param description Must have `instances`.
  /// @param observer Must outlive this object.
  ApplicationRun(ActorNetwork& network, ConnectorActor connector,
                 ApplicationDescription description,
                 RegistrationConfig registration, RunObserver& observer);
  ~ApplicationRun();

  /// Returns when the application is over and its output has been brought.
  RunOutcome wait();

  /// Ends the application early. May be called from a signal handler.
  void interrupt() noexcept {
    interrupted_ = true;
  }

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::atomic<bool> interrupted_ = false;
};

} // namespace stoker
