#pragma once

#include <functional>
#include <memory>
#include <string>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "executor/stage_tasks.hpp"
#include "executor/task_queue.hpp"
#include "executor/task_slots.hpp"

namespace stoker {

/// The state of the EXECUTOR.
struct ExecutorActorState {
  /// Makes programs of tasks.
  std::shared_ptr<executor::StageTasks> stages;

  TaskSchedulerActor driver;

  /// Decides which tasks begin.
  std::unique_ptr<executor::TaskQueue> queue;

  /// Runs them.
  std::unique_ptr<executor::TaskSlots> slots;

  /// What the driver has not been told, and whether that is about to happen.
  StatusUpdates news;
  bool flush_is_due = false;

  /// Told why the executor has ended.
  std::function<void(const std::string& why)> on_end;

  /// Names the actor in logs.
  static constexpr const char* name = "executor";
};

/// Runs tasks for a driver, until that says otherwise or is gone.
/// @param on_end Called once, when nothing runs any more.
ExecutorActor::behavior_type
executor_actor(ExecutorActor::stateful_pointer<ExecutorActorState> self,
               executor::ExecutorIdentity identity,
               const ApplicationSecret& secret, TaskSchedulerActor driver,
               std::function<void(const std::string& why)> on_end);

} // namespace stoker
