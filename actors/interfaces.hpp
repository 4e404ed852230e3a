#pragma once

// The interfaces of all actors in one place: the map of who may say what to
// whom. Every message is described in messages/.

#include <vector>

#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include "actors/internal.hpp"
#include "messages/all.hpp"
#include "messages/errc.hpp"
#include "messages/serialization.hpp"

namespace stoker {

/// The MASTER shares machines between applications. Requests fail with
/// `Errc::not_alive` while it is not the active one.
using MasterActor = caf::typed_actor<
    // -- from workers
    // Admits a worker, or takes it back.
    caf::reacts_to<RegisterWorker>,
    // Keeps a worker from counting as lost.
    caf::reacts_to<Heartbeat>,
    // Compares what the master knows of a worker with what it runs.
    caf::reacts_to<WorkerLatestState>,
    // The same, for a new leader.
    caf::reacts_to<WorkerSchedulerStateResponse>,
    // Starts nothing more on a worker that leaves.
    caf::reacts_to<WorkerDecommissioning>,
    // Forgets a worker that has left.
    caf::reacts_to<WorkerLeft>,
    // Records an executor's state; workers repeat it until it is answered.
    caf::replies_to<ExecutorStateChanged>::with<bool>,
    // Records a driver's state.
    caf::reacts_to<DriverStateChanged>,
    // Reads a file of a program that the worker has. Fails with `Errc::not_allowed`.
    caf::replies_to<FetchFilePart>::with<FilePart>,
    // -- from applications
    // Admits an application, or takes it back.
    caf::reacts_to<RegisterApplication>,
    // Keeps an application from counting as disconnected.
    caf::reacts_to<ApplicationHeartbeat>,
    // Ends an application.
    caf::replies_to<UnregisterApplication>::with<bool>,
    // Records that the application knows of the new leader.
    caf::reacts_to<MasterChangeAcknowledged>,
    // Sets how many executors an application wants.
    caf::replies_to<RequestExecutors>::with<bool>,
    // Ends some of them.
    caf::replies_to<KillExecutors>::with<bool>,
    // Says of which version of Spark they have to be.
    caf::replies_to<SetSparkVersion>::with<bool>,
    // Keeps what its driver says of its jobs, for people.
    caf::reacts_to<ReportJobs>,
    // -- from the command line
    // Keeps a file that a command is to name.
    caf::replies_to<StoreFilePart>::with<StoreFileResponse>,
    caf::replies_to<RequestSubmitDriver>::with<SubmitDriverResponse>,
    caf::replies_to<RequestKillDriver>::with<KillDriverResponse>,
    // Fails with `Errc::not_alive` in STANDBY.
    caf::replies_to<RequestDriverStatus>::with<DriverStatusResponse>,
    // Answered in STANDBY too.
    caf::replies_to<RequestMasterState>::with<MasterStateResponse>,
    caf::replies_to<RequestKillApplication>::with<KillApplicationResponse>,
    caf::replies_to<DecommissionWorkers>::with<DecommissionWorkersResponse>,
    // Fails with `Errc::not_alive` in STANDBY.
    caf::replies_to<RequestQueues>::with<QueuesResponse>,
    caf::replies_to<RequestExplanation>::with<ExplanationResponse>,
    caf::replies_to<RequestPlan>::with<PlanResponse>,
    caf::replies_to<RequestJobs>::with<JobsResponse>,
    // Passed on to the history. Fail with `Errc::not_found` where there is none.
    caf::replies_to<RequestHistory>::with<HistoryResponse>,
    caf::replies_to<RequestUse>::with<UseResponse>,
    // Answered when all have ended, or the time is up. Fails with `Errc::not_alive` in
    // STANDBY, and when the leadership ends meanwhile.
    caf::replies_to<RequestEnds>::with<EndsResponse>,
    // Answered when more is committed, or the time is up. Fails as above.
    caf::replies_to<AwaitChange>::with<ChangePosition>,
    // Reads the tenants file again.
    caf::replies_to<RequestReload>::with<ReloadResponse>,
    // Fails with `Errc::not_found`.
    caf::replies_to<RequestOutputPlace>::with<OutputPlaceResponse>,
    // Passed on to the worker. Fails with `Errc::not_found` if there is none, or
    // none any more, and with `Errc::not_running` while it is not connected.
    caf::replies_to<RequestOutput>::with<OutputResponse>,
    // From an application, to its executors. Passed on to the worker. Fails with
    // `Errc::not_allowed` for those of others, with `Errc::not_found` if the executor
    // does not run there, and with `Errc::not_running` while the application or the
    // worker is not connected.
    caf::replies_to<WriteInput>::with<InputResponse>,
    // -- INTERNAL
    // A pause is over, and nobody else contends.
    caf::reacts_to<ElectionWon>, caf::reacts_to<MasterBeat>,
    // From what carries the connections of workers that are no actors.
    caf::reacts_to<HeartbeatBatch>,
    // Somebody may have waited for long enough.
    caf::reacts_to<CheckFollowers>,
    // Nothing may need some files any more.
    caf::reacts_to<CheckFiles>,
    // Time has passed.
    caf::reacts_to<CheckForWorkerTimeOut>>;

/// What a worker hears of masters, with the leadership that the master speaks for.
using WorkerOrders
    = caf::typed_actor<caf::reacts_to<LeaderEpoch, RegisteredWorker>,
                       caf::reacts_to<LeaderEpoch, RegisterWorkerFailed>,
                       caf::reacts_to<LeaderEpoch, MasterInStandby>,
                       caf::reacts_to<LeaderEpoch, ReconnectWorker>,
                       caf::reacts_to<LeaderEpoch, DecommissionWorker>,
                       caf::reacts_to<LeaderEpoch, MasterChanged>,
                       caf::reacts_to<LeaderEpoch, LaunchExecutor>,
                       caf::reacts_to<LeaderEpoch, KillExecutor>,
                       caf::reacts_to<LeaderEpoch, ApplicationFinished>,
                       caf::reacts_to<LeaderEpoch, LaunchDriver>,
                       caf::reacts_to<LeaderEpoch, KillDriver>,
                       // Reads output, and waits for it.
                       caf::replies_to<RequestOutput>::with<OutputResponse>,
                       // Writes to a program's standard input, and waits until
                       // it takes something. Fails with `Errc::not_running`.
                       caf::replies_to<WriteInput>::with<InputResponse>>;

/// Who has a FILE FETCHER.
using FileSourceActor = caf::typed_actor<
    // Fails with `Errc::not_alive` while nobody can be asked.
    caf::replies_to<FetchFilePart>::with<FilePart>,
    // The files of a program are in its directory, or cannot be.
    caf::reacts_to<FilesPlaced>>;

/// The WORKER runs executors and drivers on its machine.
using WorkerActor = WorkerOrders::extend<
    // -- INTERNAL: a process, a connection, the time, or the wish to stop.
    caf::reacts_to<WorkerInternal>,
    // -- from its FILE FETCHER: see there.
    caf::replies_to<FetchFilePart>::with<FilePart>,
    caf::reacts_to<FilesPlaced>>;

/// The FILE FETCHER puts files into the directories of a worker's programs.
using FileFetcherActor = caf::typed_actor<
    // Answered by FilesPlaced.
    caf::reacts_to<PlaceFiles>,
    // Nobody waits for these any more.
    caf::reacts_to<AbandonFiles>,
    // -- INTERNAL: time has passed.
    caf::reacts_to<FetchAgain>, caf::reacts_to<CheckFileCache>>;

/// The APP CLIENT is an application's end of its registration.
using AppClientActor = caf::typed_actor<
    // -- from masters, with the leadership that the master speaks for
    caf::reacts_to<LeaderEpoch, MasterInStandby>,
    caf::reacts_to<LeaderEpoch, RegisteredApplication>,
    caf::reacts_to<LeaderEpoch, ReconnectApplication>,
    caf::reacts_to<LeaderEpoch, ApplicationRemoved>,
    caf::reacts_to<LeaderEpoch, WorkerRemoved>,
    caf::reacts_to<LeaderEpoch, ExecutorAdded>,
    caf::reacts_to<LeaderEpoch, ExecutorUpdated>,
    caf::reacts_to<LeaderEpoch, MasterChanged>,
    // -- from the application; fail with `Errc::not_alive` while no master is
    // connected
    caf::replies_to<RequestExecutors>::with<bool>,
    caf::replies_to<KillExecutors>::with<bool>,
    caf::replies_to<SetSparkVersion>::with<bool>,
    caf::replies_to<RequestOutput>::with<OutputResponse>,
    caf::replies_to<WriteInput>::with<InputResponse>,
    // Tells the master, also each one that comes later.
    caf::reacts_to<ReportJobs>,
    // Ends the application and this actor. Answered once the master knows.
    caf::replies_to<StopAppClient>::with<bool>,
    // Adds a subscriber to the news.
    caf::reacts_to<SubscribeToNews>,
    // -- INTERNAL: time has passed.
    caf::reacts_to<AppClientTick>>;

/// The TASK SCHEDULER hands tasks of a driver's jobs to the application's executors.
using TaskSchedulerActor = caf::typed_actor<
    // -- from executors
    // Admits an executor.
    caf::reacts_to<RegisterExecutor>,
    // Notes that an executor is there, and how its tasks ended.
    caf::reacts_to<ExecutorHeartbeat>, caf::reacts_to<StatusUpdates>,
    // Passed on to the coordinator of the attempt.
    caf::reacts_to<BarrierTasksReady>, caf::reacts_to<BarrierArrived>,
    // -- INTERNAL: jobs, ends of executors, results that were fetched, the time.
    caf::reacts_to<TaskSchedulerInternal>,
    // Adds a subscriber to what the load is.
    caf::reacts_to<SubscribeToLoad>,
    // Answers with those that get no task any more.
    caf::replies_to<LetIdleLeave>::with<std::vector<int>>,
    // Ends the executors, and this actor. Answered when the last was said of jobs.
    caf::replies_to<StopTaskScheduler>::with<bool>>;

/// The ALLOCATION MANAGER lets an application's executors follow its load.
using AllocationManagerActor = caf::typed_actor<
    // Asks these from now on. Without a task scheduler, executors end by themselves.
    caf::reacts_to<AppClientActor, TaskSchedulerActor>,
    // -- INTERNAL: the load, what the master says, answers, the time.
    caf::reacts_to<AllocationInternal>>;

/// The BARRIER COORDINATOR lets the tasks of one attempt at a barrier stage begin
/// together, and wait for each other.
using BarrierCoordinatorActor = caf::typed_actor<
    // -- from executors, by the task scheduler
    caf::reacts_to<BarrierTasksReady>, caf::reacts_to<BarrierArrived>,
    // -- INTERNAL: a task is done, time has passed, the attempt is over.
    caf::reacts_to<BarrierFinished>, caf::reacts_to<BarrierTick>,
    caf::reacts_to<BarrierOver>>;

/// The EXECUTOR runs tasks of one application, on one worker.
using ExecutorActor = caf::typed_actor<
    // -- from the task scheduler
    caf::reacts_to<RegisteredExecutor>, caf::reacts_to<DescribeStage>,
    caf::reacts_to<StageOutputs>, caf::reacts_to<LaunchTasks>,
    caf::reacts_to<KillTask>, caf::reacts_to<ReturnTasks>,
    caf::reacts_to<ForgetStages>, caf::reacts_to<StopExecutor>,
    // -- from a barrier coordinator
    caf::reacts_to<BarrierTasksMayBegin>, caf::reacts_to<BarrierPassed>,
    // -- INTERNAL: tasks have ended; what is new is to be told; time has passed.
    caf::reacts_to<TaskEnded>, caf::reacts_to<FunctionsEnded>,
    caf::reacts_to<ExecutorFlush>, caf::reacts_to<BarrierFlush>,
    caf::reacts_to<SendHeartbeat>>;

/// The CONNECTOR opens connections to masters.
using ConnectorActor = caf::typed_actor<
    // Answers with a handle to the MASTER. May take long: ask with a time-out.
    caf::replies_to<ConnectToMaster>::with<caf::strong_actor_ptr>>;

} // namespace stoker
