#pragma once

// The names of events and effects of a JobScheduler, in traces and message logs.
// Those that are messages have theirs from messages/all.hpp.

#include "messages/all.hpp"
#include "scheduling/jobs/job_events.hpp"

namespace stoker {

// A type in parentheses is no type.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define STOKER_JOB_NAME(Type)                                                  \
  template <>                                                                  \
  inline constexpr const char* message_name<Type> = #Type;

STOKER_JOB_NAME(JobSubmitted)
STOKER_JOB_NAME(JobCancelled)
STOKER_JOB_NAME(StagesReleased)
STOKER_JOB_NAME(ExecutorDisconnected)
STOKER_JOB_NAME(ExecutorEnded)
STOKER_JOB_NAME(DecommissionExecutor)
STOKER_JOB_NAME(KeepExecutor)
STOKER_JOB_NAME(OutputsGone)
STOKER_JOB_NAME(ResultFetched)
STOKER_JOB_NAME(JobsTick)
STOKER_JOB_NAME(TellStage)
STOKER_JOB_NAME(TellOutputs)
STOKER_JOB_NAME(StartTasks)
STOKER_JOB_NAME(EndTask)
STOKER_JOB_NAME(AskForTasks)
STOKER_JOB_NAME(DropStages)
STOKER_JOB_NAME(ExecutorDrained)
STOKER_JOB_NAME(ExecutorKept)
STOKER_JOB_NAME(ExecutorSilent)
STOKER_JOB_NAME(SecondAttemptWanted)
STOKER_JOB_NAME(BarrierAttemptBegun)
STOKER_JOB_NAME(BarrierTaskFinished)
STOKER_JOB_NAME(BarrierAttemptEnded)
STOKER_JOB_NAME(FetchResult)
STOKER_JOB_NAME(AcceptResult)
STOKER_JOB_NAME(JobEnded)
STOKER_JOB_NAME(StageStarted)
STOKER_JOB_NAME(StageCompleted)
STOKER_JOB_NAME(AttemptFailed)
STOKER_JOB_NAME(OutputsLost)
STOKER_JOB_NAME(JobsWakeAt)

#undef STOKER_JOB_NAME
// NOLINTEND(bugprone-macro-parentheses)

} // namespace stoker
