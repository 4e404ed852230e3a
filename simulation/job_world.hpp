#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/barrier/barrier_attempt.hpp"
#include "scheduling/jobs/job_scheduler.hpp"
#include "simulation/dice.hpp"
#include "simulation/job_executor_process.hpp"
#include "simulation/job_machines.hpp"
#include "simulation/job_referee.hpp"
#include "simulation/load_watch.hpp"
#include "simulation/scenario.hpp"
#include "simulation/simulation.hpp"
#include "simulation/task_referee.hpp"
#include "storage/task_log_format.hpp"

namespace stoker::simulation {

/// A driver with its real JobScheduler, and a real BarrierAttempt for each attempt at a
/// barrier stage; executors, machines and messages are imitated, and so is the master,
/// which replaces executors and tells of ends, and whoever wants executors to leave, and
/// removes those that may be.
///
/// 1. chaos: the items happen.
/// 2. All faults end. Within half an hour all jobs have.
class JobWorld {
public:
  /// @param message_log Of the driver.
  JobWorld(const Scenario& scenario, std::ostream* log,
           std::ostream* message_log);

  /// @throws Violation
  void run();

  [[nodiscard]] Outcome outcome();

private:
  // -- the driver -------------------------------------------------------------

  void step(const JobsEvent& what);
  void carry_out(const JobsEffect& effect);
  void begin_together(const BarrierAttemptBegun& x);
  void hear(const JobExecutorProcess::Message& x);
  void hear_ready(const BarrierTasksReady& x);
  void check_alone(const TaskAttempt& id) const;
  void fetch(const FetchResult& x);
  void submit(std::int64_t shape, bool has_gangs);
  void release_stages();

  // -- executors; job_world_items.cpp -----------------------------------------

  struct Executor {
    std::unique_ptr<JobExecutorProcess> process;
    bool linked = true;

    /// The driver has given it up, and tells it nothing any more.
    bool given_up = false;

    /// When the last message to it arrives, and the last one from it: messages of a
    /// connection stay in order.
    Instant last_there;
    Instant last_back;
  };

  void start_executor();
  void start_executor_later();
  void end_executor(int exec_id, ExecutorLoss loss, const std::string& why);
  void break_link(int exec_id);
  void tell_executor(int exec_id,
                     std::function<void(JobExecutorProcess&)> what);
  void tell_beside(int exec_id, const BarrierTasksMayBegin& x);
  void tell_driver(int exec_id, std::function<void()> what);
  [[nodiscard]] Duration message_delay(Dice& dice);
  Executor* executor_at(std::int64_t who);

  void happen(const Item& item);
  void lose_machine(const Item& item);
  void damage_outputs(const Item& item);
  void remove_executor(int exec_id);
  void give_up(int exec_id);
  void beat(int exec_id);
  void heal();

  Scenario scenario_;
  EventQueue queue_;
  Dice dice_;

  /// Of what coordinators of barrier stages say, and who repeats what.
  Dice barrier_dice_;
  Machines machines_;
  ExpectedValues values_;
  JobReferee referee_;
  TaskReferee task_referee_;
  JobScheduler scheduler_;
  std::map<std::pair<StageId, int>, BarrierAttempt> attempts_;
  LoadWatch load_watch_;
  std::ostream* message_log_;
  JobsEffectLines logged_lines_;
  std::map<int, Executor> executors_;
  int next_exec_id_ = 0;
  int starting_ = 0;
  std::int32_t next_job_ = 0;
  std::int32_t next_stage_ = 0;

  /// Stages of earlier jobs that later ones may read.
  std::vector<StageSpec> had_;
  std::map<TaskAttempt, std::uint64_t> fetched_;
  Instant messages_slow_until_;
  bool in_chaos_ = true;
};

} // namespace stoker::simulation
