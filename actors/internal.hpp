#pragma once

// Messages between actors of one process. They never travel, so CAF needs no
// way to serialize them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <caf/actor_addr.hpp>
#include <caf/allowed_unsafe_message_type.hpp>

#include "messages/files.hpp"
#include "messages/task.hpp"
#include "messages/worker.hpp"
#include "scheduling/allocation/executor_allocation.hpp"
#include "scheduling/application/application_events.hpp"
#include "scheduling/jobs/job_events.hpp"
#include "scheduling/leadership/master_logic.hpp"
#include "scheduling/worker/worker_events.hpp"

namespace stoker {

/// What a worker learns from its surroundings.
struct WorkerInternal {
  WorkerEvent event;
};

/// Look whether the leader and its store do their work.
struct MasterBeat {};

/// Look whether somebody has waited for an answer for long enough.
struct CheckFollowers {};

/// Look which files of commands nothing needs any more.
struct CheckFiles {};

/// What a worker says again and again, and the actor of this process that stands for it.
struct HeardHeartbeat {
  caf::actor_addr from;
  Heartbeat heartbeat;
};

/// Heartbeats that came together, each as if its actor had sent it.
struct HeartbeatBatch {
  std::vector<std::shared_ptr<const HeardHeartbeat>> all;

  /// Freed when the batch has been taken, or will never be.
  std::shared_ptr<void> until_taken;
};

/// Put these files into the directory of a program.
struct PlaceFiles {
  /// Different for each start of a program.
  std::uint64_t ticket = 0;

  /// As which worker the master is asked, and for which program.
  FetchFilePart question;
  std::string directory;
  std::vector<CommandFile> files;
};

struct FilesPlaced {
  std::uint64_t ticket = 0;

  /// Why they are not there, in one line.
  std::optional<std::string> problem;

  /// As a shell has it where the program itself is to blame.
  std::optional<int> exit_status;
};

struct AbandonFiles {
  std::uint64_t ticket = 0;
};

/// Ask for what was not answered.
struct FetchAgain {};

/// Look whether files were not used for long.
struct CheckFileCache {};

/// Leave the master, then end.
struct StopAppClient {
  /// Before its work was done.
  bool interrupted = false;

  /// Why its work could not be done.
  std::optional<std::string> failure;
};

struct AppClientTick {};

/// Takes what an application learns about itself. Called on the APP CLIENT's
/// thread; must not block.
using ApplicationNewsSink = std::function<void(const ApplicationNews&)>;

/// Takes what an application's load has become. Called on the TASK SCHEDULER's thread;
/// must not block.
using LoadSink = std::function<void(const AllocationEvents&)>;

/// From now on, tell `sink` all news, too: first how the application stands, if
/// that is known, that is the last of ApplicationConnected,
/// ApplicationDisconnected, ApplicationSearches and ApplicationDead.
struct SubscribeToNews {
  ApplicationNewsSink sink;
};

/// What a task scheduler learns from its surroundings.
struct TaskSchedulerInternal {
  JobsEvent event;
};

/// From now on, tell `sink` what the load is: first what there is.
struct SubscribeToLoad {
  LoadSink sink;
};

/// Let those of these executors that have no task take none any more. Answered by them.
struct LetIdleLeave {
  std::vector<int> exec_ids;
};

/// End the executors, then yourself.
struct StopTaskScheduler {
  std::string reason;
};

/// What an allocation manager learns from its surroundings.
struct AllocationInternal {
  std::variant<ExecutorAllocationEvent, ApplicationNews> what;
};

/// A task of the attempt at a barrier stage did what it should.
struct BarrierFinished {
  int task = 0;
};

/// The attempt is over.
struct BarrierOver {};

struct BarrierTick {};

/// Nothing of the task is left, which was a program.
struct TaskEnded {
  TaskStatus status;
};

/// Tasks have ended that were functions.
struct FunctionsEnded {};

/// Tell the driver what is new.
struct ExecutorFlush {};

/// Tell the driver who waits at barriers.
struct BarrierFlush {};

/// Tell the driver that this executor is there.
struct SendHeartbeat {};

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ElectionWon)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::MasterBeat)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::HeartbeatBatch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CheckFollowers)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CheckFiles)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::WorkerInternal)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::PlaceFiles)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FilesPlaced)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AbandonFiles)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FetchAgain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CheckFileCache)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::StopAppClient)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AppClientTick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SubscribeToNews)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ConnectToMaster)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::TaskSchedulerInternal)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SubscribeToLoad)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::LetIdleLeave)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::StopTaskScheduler)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AllocationInternal)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::BarrierFinished)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::BarrierOver)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::BarrierTick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::TaskEnded)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FunctionsEnded)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ExecutorFlush)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::BarrierFlush)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SendHeartbeat)
