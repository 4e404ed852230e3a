#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "scheduling/allocation/load_of_jobs.hpp"
#include "simulation/dice.hpp"

namespace stoker::simulation {

/// The tasks of an elastic application, played: they wait, begin on executors that are
/// there, take a while and end, now and then badly. Those of an executor that is lost
/// wait again. What a real task scheduler decides is in another simulation:
/// simulation/job_world.hpp.
class ElasticTasks {
public:
  /// What an allocation manager is to hear, in order.
  using Tell = std::function<void(AllocationEvents)>;

  /// Does something so much later, if the process still lives then.
  using Later = std::function<void(Duration, std::function<void()>)>;

  /// Tells an executor to stop, which is to leave and has no task any more.
  using Stop = std::function<void(int exec_id)>;

  /// @param slots Tasks that an executor runs at once.
  ElasticTasks(Dice dice, int slots, Tell tell, Later later, Stop stop);

  /// A stage comes. @param longest What a task of it may take, at least 1 ms.
  void submit(int tasks, Duration longest);

  /// Nothing that waits is wanted any more; what runs goes on.
  void cancel();

  void add_executor(int exec_id);

  /// It is gone, or counts as gone; it does not come back.
  void lose_executor(int exec_id);

  /// It gets no further task, and stops when those that it has have ended.
  void drain(int exec_id);

  /// Those of them that have no task get none from now on, and stop.
  std::vector<int> let_idle_leave(const std::vector<int>& exec_ids);

  /// Tasks that wait or run.
  [[nodiscard]] std::size_t unfinished() const noexcept {
    return waiting_.size() + running_;
  }

  /// That have ended well.
  [[nodiscard]] std::size_t done() const noexcept {
    return done_;
  }

private:
  struct Task {
    StageId stage;
    int number = 0;
    int attempt = 0;
  };

  struct Executor {
    std::map<TaskAttempt, Task> tasks;
    bool leaves = false;
  };

  struct Stage {
    Duration longest{};
    int unfinished = 0;
  };

  void assign();
  void let_leave(int exec_id, Executor& x);
  void end(const TaskAttempt& id, int exec_id);
  void wait_again(Task task);
  void say(AllocationEvent event);
  void flush();

  Dice dice_;
  std::size_t slots_;
  Tell tell_;
  Later later_;
  Stop stop_;
  std::map<StageId, Stage> stages_;
  std::deque<Task> waiting_;
  std::map<int, Executor> executors_;

  /// These were to leave before they came.
  std::set<int> drained_;

  /// Whatever is said of them later comes too late.
  std::set<int> lost_;
  int next_stage_ = 0;
  std::size_t running_ = 0;
  std::size_t done_ = 0;
  AllocationEvents news_;
};

} // namespace stoker::simulation
