#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "scheduling/allocation/load_of_jobs.hpp"
#include "scheduling/jobs/job_reporter.hpp"
#include "scheduling/jobs/job_scheduler.hpp"
#include "storage/task_log.hpp"

namespace stoker {

/// What surrounds a driver's jobs: knows what their tasks do, and takes their results.
/// Called on the TASK SCHEDULER's thread; must not block.
class JobsHost {
public:
  virtual ~JobsHost() = default;

  /// What tasks of a stage do.
  virtual DescribeStage describe(StageId stage) = 0;

  /// What one of them reads by itself.
  virtual LaunchTask describe(const TaskAttempt& task) = 0;

  /// Fetches a result. `done` may be called by any thread, with what went wrong, or
  /// nothing.
  virtual void fetch(const FetchResult& x,
                     std::function<void(std::string error)> done)
      = 0;

  /// A result counts. Fails if it cannot be taken: then the job does.
  virtual Status accept(const AcceptResult& x) = 0;

  /// What happened: ends of jobs, and news. Others than those are not for it.
  virtual void hear(const JobsEffect& x) = 0;

  /// After each step, when all that follows from it was done.
  virtual void stepped(const JobsState& state) = 0;

  /// The master is to know that.
  virtual void report(ReportJobs x) = 0;
};

/// The state of the TASK SCHEDULER.
struct TaskSchedulerState {
  /// Makes all decisions.
  std::optional<JobScheduler> scheduler;

  /// Sees what happens and what follows.
  JobReporter reporter;

  std::optional<WallClock> clock;
  std::shared_ptr<JobsHost> host;

  /// Null: there is none.
  std::shared_ptr<TaskLogWriter> log;

  /// Who hears of the load.
  struct LoadSubscriber {
    LoadOfJobs load;
    LoadSink sink;
  };
  std::vector<LoadSubscriber> load_subscribers;

  /// Who executors are reached at, and who those are that may be gone.
  std::map<int, ExecutorActor> executors;
  std::map<caf::actor_addr, int> numbers;

  /// Of attempts at barrier stages that run, by stage and attempt.
  std::map<std::pair<StageId, int>, BarrierCoordinatorActor> coordinators;

  /// Why a result of a job was not taken, until the job has ended.
  std::map<JobId, std::string> refused;

  /// Names the actor in logs.
  static constexpr const char* name = "task-scheduler";
};

/// Wires a JobScheduler to an application's executors, to the clock, and to what
/// surrounds it.
/// @param log Gets each step. Null: nobody does.
TaskSchedulerActor::behavior_type
task_scheduler(TaskSchedulerActor::stateful_pointer<TaskSchedulerState> self,
               JobsConfig config, std::shared_ptr<JobsHost> host,
               std::shared_ptr<TaskLogWriter> log);

} // namespace stoker
