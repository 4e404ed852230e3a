#pragma once

// Every message under its name on the wire and in logs. A name outlives any
// renaming of the C++ type and is not used again.

#include "messages/administration.hpp"
#include "messages/application.hpp"
#include "messages/barrier.hpp"
#include "messages/driver.hpp"
#include "messages/executor.hpp"
#include "messages/files.hpp"
#include "messages/following.hpp"
#include "messages/history.hpp"
#include "messages/input.hpp"
#include "messages/internal.hpp"
#include "messages/jobs_report.hpp"
#include "messages/leader_epoch.hpp"
#include "messages/output.hpp"
#include "messages/planning.hpp"
#include "messages/queues.hpp"
#include "messages/takeover.hpp"
#include "messages/task.hpp"
#include "messages/worker.hpp"

/// Calls X(Type) for each message between processes.
#define STOKER_WIRE_MESSAGES(X)                                                \
  X(LeaderEpoch)                                                               \
  X(RegisterWorker)                                                            \
  X(Heartbeat)                                                                 \
  X(WorkerLatestState)                                                         \
  X(WorkerDecommissioning)                                                     \
  X(WorkerLeft)                                                                \
  X(RegisteredWorker)                                                          \
  X(RegisterWorkerFailed)                                                      \
  X(MasterInStandby)                                                           \
  X(ReconnectWorker)                                                           \
  X(DecommissionWorker)                                                        \
  X(RegisterApplication)                                                       \
  X(ApplicationHeartbeat)                                                      \
  X(UnregisterApplication)                                                     \
  X(RequestExecutors)                                                          \
  X(KillExecutors)                                                             \
  X(SetSparkVersion)                                                           \
  X(RegisteredApplication)                                                     \
  X(ReconnectApplication)                                                      \
  X(ApplicationRemoved)                                                        \
  X(WorkerRemoved)                                                             \
  X(ApplicationFinished)                                                       \
  X(LaunchExecutor)                                                            \
  X(KillExecutor)                                                              \
  X(ExecutorStateChanged)                                                      \
  X(ExecutorAdded)                                                             \
  X(ExecutorUpdated)                                                           \
  X(RequestSubmitDriver)                                                       \
  X(RequestKillDriver)                                                         \
  X(RequestDriverStatus)                                                       \
  X(SubmitDriverResponse)                                                      \
  X(KillDriverResponse)                                                        \
  X(DriverStatusResponse)                                                      \
  X(LaunchDriver)                                                              \
  X(KillDriver)                                                                \
  X(DriverStateChanged)                                                        \
  X(MasterChanged)                                                             \
  X(MasterChangeAcknowledged)                                                  \
  X(WorkerSchedulerStateResponse)                                              \
  X(RequestMasterState)                                                        \
  X(MasterStateResponse)                                                       \
  X(RequestKillApplication)                                                    \
  X(KillApplicationResponse)                                                   \
  X(DecommissionWorkers)                                                       \
  X(DecommissionWorkersResponse)                                               \
  X(RequestQueues)                                                             \
  X(QueuesResponse)                                                            \
  X(RequestReload)                                                             \
  X(ReloadResponse)                                                            \
  X(RequestExplanation)                                                        \
  X(ExplanationResponse)                                                       \
  X(RequestPlan)                                                               \
  X(PlanResponse)                                                              \
  X(RequestOutputPlace)                                                        \
  X(OutputPlaceResponse)                                                       \
  X(RequestOutput)                                                             \
  X(OutputResponse)                                                            \
  X(RegisterExecutor)                                                          \
  X(RegisteredExecutor)                                                        \
  X(ExecutorHeartbeat)                                                         \
  X(StatusUpdates)                                                             \
  X(DescribeStage)                                                             \
  X(StageOutputs)                                                              \
  X(LaunchTasks)                                                               \
  X(KillTask)                                                                  \
  X(ReturnTasks)                                                               \
  X(ForgetStages)                                                              \
  X(StopExecutor)                                                              \
  X(BarrierTasksReady)                                                         \
  X(BarrierArrived)                                                            \
  X(BarrierTasksMayBegin)                                                      \
  X(BarrierPassed)                                                             \
  X(ReportJobs)                                                                \
  X(RequestJobs)                                                               \
  X(JobsResponse)                                                              \
  X(RequestHistory)                                                            \
  X(HistoryResponse)                                                           \
  X(RequestUse)                                                                \
  X(UseResponse)                                                               \
  X(RequestEnds)                                                               \
  X(EndsResponse)                                                              \
  X(AwaitChange)                                                               \
  X(ChangePosition)                                                            \
  X(WriteInput)                                                                \
  X(InputResponse)                                                             \
  X(StoreFilePart)                                                             \
  X(StoreFileResponse)                                                         \
  X(FetchFilePart)                                                             \
  X(FilePart)

/// Calls X(Type) for each message that never leaves its process.
#define STOKER_INTERNAL_MESSAGES(X)                                            \
  X(CheckForWorkerTimeOut)                                                     \
  X(MasterStalled)                                                             \
  X(EndpointLost)

#define STOKER_MESSAGES(X)                                                     \
  STOKER_WIRE_MESSAGES(X)                                                      \
  STOKER_INTERNAL_MESSAGES(X)

namespace stoker {

/// The name of a message type on the wire and in logs.
template <class T>
inline constexpr const char* message_name = nullptr;

#define STOKER_NAME_MESSAGE(Type)                                              \
  template <>                                                                  \
  inline constexpr const char* message_name<Type> = #Type;
STOKER_MESSAGES(STOKER_NAME_MESSAGE)
#undef STOKER_NAME_MESSAGE

} // namespace stoker
