#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <caf/actor_clock.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "executor/barrier_tasks.hpp"
#include "executor/function_slots.hpp"
#include "executor/stage_table.hpp"
#include "executor/stage_tasks.hpp"
#include "executor/task_function.hpp"
#include "executor/task_queue.hpp"
#include "executor/task_slots.hpp"

namespace stoker {

/// Why an executor has ended.
struct ExecutorStopped {
  std::string why;

  /// Functions did not return when they were told to. Only the end of their process
  /// ends them.
  bool functions_hang = false;
};

/// The state of the EXECUTOR.
struct ExecutorActorState {
  /// What the driver has said of stages.
  std::shared_ptr<executor::StageTable> stages;

  TaskSchedulerActor driver;

  /// As the driver wants it. Nothing: it has not said so.
  std::optional<std::chrono::milliseconds> heartbeat_interval;

  /// Who of barrier stages runs and waits.
  std::shared_ptr<executor::BarrierTasks> barriers;

  /// Decides which tasks begin.
  std::unique_ptr<executor::TaskQueue> queue;

  /// Make programs of tasks, and run them; not there before they are needed.
  std::shared_ptr<executor::StageTasks> programs;
  std::unique_ptr<executor::TaskSlots> program_slots;

  /// Runs functions; not there before they are needed.
  std::unique_ptr<executor::FunctionSlots> function_slots;
  const executor::TaskFunctions* functions = nullptr;

  /// What the driver has not been told, whether that is about to happen, and when it
  /// did last.
  StatusUpdates news;
  bool flush_is_due = false;
  caf::actor_clock::time_point flushed_at;

  /// Told once; null afterwards.
  std::function<void(const ExecutorStopped&)> on_end;

  /// Names the actor in logs.
  static constexpr const char* name = "executor";
};

/// How long functions have to return that are told to.
inline constexpr std::chrono::seconds function_grace{2};

/// Runs tasks for a driver, until that says otherwise or is gone.
/// @param functions Of this program. They stay as long as any of them runs.
/// @param on_end Called once, when nothing runs any more, but for functions that hang.
ExecutorActor::behavior_type
executor_actor(ExecutorActor::stateful_pointer<ExecutorActorState> self,
               executor::ExecutorIdentity identity,
               const ApplicationSecret& secret, TaskSchedulerActor driver,
               const executor::TaskFunctions* functions,
               std::function<void(const ExecutorStopped&)> on_end);

} // namespace stoker
