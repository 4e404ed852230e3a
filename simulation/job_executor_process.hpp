#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "executor/task_queue.hpp"
#include "messages/barrier.hpp"
#include "scheduling/jobs/job_events.hpp"
#include "simulation/dice.hpp"
#include "simulation/event_queue.hpp"
#include "simulation/job_machines.hpp"
#include "simulation/task_referee.hpp"

namespace stoker::simulation {

/// How the tasks of an executor fare.
struct TaskWeather {
  /// Percent of them fail.
  int failing = 0;

  /// They take so many times as long.
  int slowness = 1;
};

/// An executor of a simulated driver: runs those tasks that its real TaskQueue lets begin,
/// reads what they read, and writes what they write. Until it dies.
class JobExecutorProcess {
public:
  /// What it says to its driver.
  using Message = std::variant<StatusUpdates, BarrierTasksReady>;
  using Tell = std::function<void(Message)>;

  JobExecutorProcess(EventQueue& queue, Dice dice, Machines& machines,
                     ExpectedValues& values, TaskReferee& referee, int exec_id,
                     int machine, int cores, Tell tell);

  [[nodiscard]] int exec_id() const noexcept {
    return exec_id_;
  }
  [[nodiscard]] int machine() const noexcept {
    return machine_;
  }
  [[nodiscard]] RegisterExecutor registration() const;

  TaskWeather weather;

  // -- what the driver says ---------------------------------------------------

  void know_stage(const StageSpec& spec);
  void know_outputs(const StageOutputs& x);
  void start(const std::vector<TaskAttempt>& tasks);
  void begin_held(const BarrierTasksMayBegin& x);
  void end_task(const TaskAttempt& id);
  void return_tasks(int count);

  /// Nothing of it happens until then.
  void stand_still(Instant until);

  /// It goes on now if it stands still.
  void go_on();

  /// At once, or when it goes on; in order. Not if it dies before that.
  void when_it_goes(std::function<void()> what);

  /// Nothing of it happens any more.
  void die();
  [[nodiscard]] bool is_alive() const noexcept {
    return *alive_;
  }

private:
  struct Stage {
    int cores = 1;
    bool has_result = false;
    bool is_barrier = false;
  };
  struct Running {
    TaskAttempt id;
    std::uint64_t run = 0;
    Instant began;
    std::optional<std::uint64_t> value;
  };

  void begin_tasks();
  void begin(const TaskAttempt& id);
  void read(std::uint64_t run);
  void finish(std::uint64_t run);
  void leave(std::uint64_t run, TaskStatus status);
  void tell(TaskStatus x);
  Running* find(std::uint64_t run);

  /// Later, if it still lives, and when it does not stand still.
  void after(Duration pause, std::function<void()> what);

  EventQueue& queue_;
  Dice dice_;
  Machines& machines_;
  ExpectedValues& values_;
  TaskReferee& referee_;
  int exec_id_;
  int machine_;
  int cores_;
  Tell tell_;
  std::map<StageId, Stage> stages_;
  std::map<StageId, StageOutputs> outputs_;
  executor::TaskQueue tasks_;

  /// Let begin, and without a thread, of which there is one a core.
  std::deque<TaskAttempt> at_slots_;
  std::vector<Running> running_;
  std::uint64_t runs_ = 0;
  Instant still_until_;
  std::deque<std::function<void()>> put_off_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

} // namespace stoker::simulation
