#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "scheduling/jobs/job_events.hpp"
#include "simulation/stats.hpp"

namespace stoker::simulation {

/// What must hold of the tasks that simulated executors have, wherever they are there:
/// - no task of an attempt at a barrier stage begins before all executors have theirs of
///   it, and those that may begin do;
/// - tasks that are held or run take no more cores than their executor has;
/// - a core that is neither held nor used keeps no task waiting: none is lost with a task
///   that was told to end while it was held.
class TaskReferee {
public:
  explicit TaskReferee(Stats& stats) : stats_(stats) {
  }

  /// Tasks begin together.
  void begins_together(const BarrierAttemptBegun& x);

  // -- what an executor does ----------------------------------------------------

  void comes(int exec_id, int cores);

  /// It has this task, which waits for cores, or is held.
  void waits(int exec_id, const TaskAttempt& id, int cores);
  void holds(int exec_id, const TaskAttempt& id, int cores);

  /// It was let begin, and has a thread as soon as there is one.
  void may_run(int exec_id, const TaskAttempt& id);
  void runs(int exec_id, const TaskAttempt& id);

  /// Nothing of it is left there.
  void leaves(int exec_id, const TaskAttempt& id);
  void ends(int exec_id);

  /// It does nothing more until something happens to it.
  void rests(int exec_id) const;

  // -- queries ------------------------------------------------------------------

  /// Whether it has a task of another attempt at a stage than this.
  [[nodiscard]] bool has_earlier(int exec_id, const TaskAttempt& of) const;

private:
  enum class Place { waits, held, may_run, runs };

  struct Task {
    int cores = 1;
    Place place = Place::waits;
    bool is_together = false;
  };
  struct Executor {
    int cores = 0;
    std::map<TaskAttempt, Task> tasks;

    /// In the order in which they came.
    std::vector<TaskAttempt> waiting;
  };
  struct Together {
    std::vector<int> exec_ids;

    /// Those that their executors have had.
    std::set<int> held;
  };

  Task& task_at(int exec_id, const TaskAttempt& id);

  Stats& stats_;
  std::map<int, Executor> executors_;
  std::map<std::pair<StageId, int>, Together> together_;
};

} // namespace stoker::simulation
