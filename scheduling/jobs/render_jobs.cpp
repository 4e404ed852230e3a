#include "scheduling/jobs/render_jobs.hpp"

#include "messages/all.hpp"
#include "scheduling/common/render_fields.hpp"

namespace stoker {

namespace {

/// Of what is no message.
#define STOKER_JOB_EVENTS(X)                                                   \
  X(JobSubmitted)                                                              \
  X(JobCancelled)                                                              \
  X(StagesReleased)                                                            \
  X(ExecutorDisconnected)                                                      \
  X(ExecutorEnded)                                                             \
  X(OutputsGone)                                                               \
  X(ResultFetched)                                                             \
  X(JobsTick)                                                                  \
  X(TellStage)                                                                 \
  X(StartTasks)                                                                \
  X(EndTask)                                                                   \
  X(AskForTasks)                                                               \
  X(DropStages)                                                                \
  X(FetchResult)                                                               \
  X(AcceptResult)                                                              \
  X(JobEnded)                                                                  \
  X(StageStarted)                                                              \
  X(StageCompleted)                                                            \
  X(AttemptFailed)                                                             \
  X(OutputsLost)                                                               \
  X(JobsWakeAt)

#define STOKER_NAME_OF(Type)                                                   \
  const char* name_of(const Type&) {                                           \
    return #Type;                                                              \
  }
STOKER_JOB_EVENTS(STOKER_NAME_OF)
STOKER_NAME_OF(RegisterExecutor)
STOKER_NAME_OF(StatusUpdates)
#undef STOKER_NAME_OF
#undef STOKER_JOB_EVENTS

struct JobRenderer {
  template <class T>
  std::string operator()(const T& x) const {
    std::string fields;
    render_fields(fields, x, false);
    return fields.empty() ? name_of(x) : std::string{name_of(x)} + ' ' + fields;
  }
  std::string operator()(const TellOutputs& x) const {
    std::string result
        = "TellOutputs exec_id=" + std::to_string(x.exec_id) + ' ';
    render_fields(result, *x.outputs, false);
    return result;
  }
};

} // namespace

std::string to_string(const JobsEvent& x) {
  return std::visit(JobRenderer{}, x);
}

std::string to_string(const JobsEffect& x) {
  return std::visit(JobRenderer{}, x);
}

} // namespace stoker
