#pragma once

#include <optional>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "scheduling/allocation/executor_allocation.hpp"
#include "scheduling/allocation/load_of_instances.hpp"

namespace stoker {

/// The state of the ALLOCATION MANAGER.
struct AllocationManagerState {
  /// Makes all decisions.
  std::optional<ExecutorAllocation> allocation;
  std::optional<WallClock> clock;

  /// The load, of an application of instances.
  std::optional<LoadOfInstances> instances;

  /// Whom it asks. Null until it is told.
  AppClientActor client;

  /// Null: executors end by themselves.
  TaskSchedulerActor tasks;

  /// What the application is registered as.
  std::optional<AppId> app_id;

  /// Names the actor in logs.
  static constexpr const char* name = "allocation-manager";
};

/// Wires an ExecutorAllocation to the application's client, to its task scheduler, and
/// to the clock. It hears of the load by `load_sink`, of the application by `news_sink`.
/// @pre validate(settings)
AllocationManagerActor::behavior_type allocation_manager(
    AllocationManagerActor::stateful_pointer<AllocationManagerState> self,
    const AllocationSettings& settings);

/// The same for an application of instances: the load follows from what it
/// hears of the application.
AllocationManagerActor::behavior_type instance_allocation_manager(
    AllocationManagerActor::stateful_pointer<AllocationManagerState> self,
    const AllocationSettings& settings, const Instances& instances);

/// Pass on what they are told, as long as the manager lives; they keep it from nothing.
LoadSink load_sink(const AllocationManagerActor& manager);
ApplicationNewsSink news_sink(const AllocationManagerActor& manager);

} // namespace stoker
