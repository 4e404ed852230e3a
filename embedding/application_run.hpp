#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/app_client.hpp"
#include "network/actor_network.hpp"
#include "scheduling/allocation/allocation_settings.hpp"
#include "scheduling/application/run_progress.hpp"

namespace stoker {

/// Sees an application run. Called on the thread that calls
/// ApplicationRun::wait.
class RunObserver {
public:
  virtual ~RunObserver() = default;

  /// What the application learns about itself, without what it knew before.
  /// `progress` knows of it already.
  virtual void news(const ApplicationNews& x, const RunProgress& progress) {
    static_cast<void>(x);
    static_cast<void>(progress);
  }

  /// What instance `index` wrote, as it comes. One that takes its time makes the
  /// instances wait when they are far ahead, unless output may be dropped.
  virtual void output(int index, bool standard_error, std::string_view data) {
    static_cast<void>(index);
    static_cast<void>(standard_error);
    static_cast<void>(data);
  }

  /// So many bytes of what it wrote were dropped, here.
  virtual void output_dropped(int index, bool standard_error,
                              std::int64_t bytes) {
    static_cast<void>(index);
    static_cast<void>(standard_error);
    static_cast<void>(bytes);
  }

  /// Why it waits to write more, or why the end of its output is missing.
  virtual void output_problem(int index, const std::string& why) {
    static_cast<void>(index);
    static_cast<void>(why);
  }

  /// Called now and then.
  virtual void progress(const RunProgress&) {
  }
};

struct RunOutcome {
  /// `finished`: all instances are done. `stopped`: interrupted before that.
  EndReason reason = EndReason::finished;

  /// As for a process: 0, or what the command that failed ended with.
  int exit_status = 0;

  /// In one line; empty if it has finished or was stopped.
  std::string error;

  /// Some output could not be brought, and was not to be dropped.
  bool output_incomplete = false;
};

/// Runs an application of instances to its end and brings its output back.
class ApplicationRun {
public:
  /// @param description Must have `instances`. With `reads_output` false, output
  /// is dropped where the observer does not keep up with it; unset, nothing is.
  /// @param observer Must outlive this object.
  /// @param allocation How the number of executors follows what is left to do; unset:
  /// the description says how many there may be. @pre `validate(*allocation)`; a slot
  /// for each executor.
  ApplicationRun(ActorNetwork& network, ConnectorActor connector,
                 ApplicationDescription description,
                 RegistrationConfig registration, RunObserver& observer,
                 const std::optional<AllocationSettings>& allocation = {});
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
