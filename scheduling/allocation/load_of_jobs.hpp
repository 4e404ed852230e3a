#pragma once

#include <map>
#include <set>
#include <vector>

#include "scheduling/allocation/allocation_events.hpp"
#include "scheduling/jobs/job_events.hpp"
#include "scheduling/jobs/job_state.hpp"

namespace stoker {

/// What a JobScheduler's steps mean for an application's load.
///
/// A stage is submitted when its tasks begin, and once more, as another attempt, when
/// tasks of it have to run again that no running attempt stands for: an output was lost
/// meanwhile; second attempts that wait are wanted of that one, too. A task that was sent
/// ahead of its turn has begun.
///
/// An executor that is to leave has left, as for the master, though tasks of it go on:
/// what takes its place counts instead.
class LoadOfJobs {
public:
  /// What there is: for whoever begins to hear now.
  AllocationEvents begin(const JobsState& state);

  /// What one step has changed. To be called for each.
  /// @param state After the step.
  AllocationEvents after(const JobsEvent& what, const JobsEffects& effects,
                         const JobsState& state);

private:
  /// The tasks of one step.
  struct Step {
    const JobsState& state;
    const JobsEffects& effects;
    AllocationEvents& out;

    /// Stages of which more tasks wait than is known.
    std::set<StageId> recount;
  };

  void join(Step& step, int exec_id);
  void leave(Step& step, int exec_id);
  void keep(Step& step, int exec_id);
  void lose(Step& step, int exec_id);
  void on(Step& step, const StatusUpdates& x);
  void end(Step& step, int exec_id, const TaskAttempt& id, bool succeeded);
  [[nodiscard]] bool runs_elsewhere(const JobsState& state,
                                    const TaskAttempt& id) const;
  void want_second(Step& step, StageId stage, int task);

  /// Says that it waits no more, if it does not.
  void forget_second(Step& step, StageId stage, int task);
  void submit(Step& step, StageId id, int tasks);
  void close(Step& step, StageId id);
  void close_inactive(Step& step);
  void recount(Step& step);
  void start(Step& step, const StartTasks& x);
  void begin_task(Step& step, int exec_id, const TaskAttempt& id,
                  int stage_attempt);

  struct Running {
    int stage_attempt = 0;
    bool is_second = false;
  };

  /// By executor.
  std::map<int, std::map<TaskAttempt, Running>> running_;

  /// Those that were said to have left, and are not lost yet.
  std::set<int> leaving_;

  /// Their connection is gone, and nobody has told of their end.
  std::set<int> disconnected_;

  /// The attempt of each stage whose tasks may begin.
  std::map<StageId, int> open_;

  /// Tasks of those of which a second attempt waits.
  std::map<StageId, std::set<int>> seconds_;

  /// Numbers of attempts are not used again, so that one that ran on is known.
  int next_attempt_ = 0;
};

} // namespace stoker
