#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "actors/app_client.hpp"
#include "embedding/run_observer.hpp"
#include "embedding/seekable_input.hpp"
#include "network/actor_network.hpp"
#include "scheduling/allocation/allocation_settings.hpp"

namespace stoker {

/// Runs an application of instances to its end and brings its output back.
class ApplicationRun {
public:
  /// @param description Must have `instances`. With `reads_output` false, output
  /// is dropped where the observer does not keep up with it; unset, nothing is.
  /// @param observer Must outlive this object.
  /// @param allocation How the number of executors follows what is left to do; unset:
  /// the description says how many there may be. @pre `validate(*allocation)`; a slot
  /// for each executor.
  /// @param input What instances read that the description says read any. Null: nothing,
  /// and then it says so.
  ApplicationRun(ActorNetwork& network, ConnectorActor connector,
                 ApplicationDescription description,
                 RegistrationConfig registration, RunObserver& observer,
                 const std::optional<AllocationSettings>& allocation = {},
                 std::shared_ptr<SeekableInput> input = nullptr);
  ~ApplicationRun();

  /// Returns when the application is over and its output has been brought.
  RunOutcome wait();

  /// Ends the application early. May be called from a signal handler.
  void interrupt() noexcept {
    interrupted_ = true;
  }

  /// Ends it early as failed, because of what its observer has met. Called by that alone.
  void fail(const std::string& why);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::atomic<bool> interrupted_ = false;
};

} // namespace stoker
