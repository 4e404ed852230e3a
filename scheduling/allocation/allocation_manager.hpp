#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "scheduling/allocation/allocation_events.hpp"
#include "scheduling/allocation/allocation_settings.hpp"
#include "scheduling/allocation/idle_executors.hpp"
#include "scheduling/allocation/locality_counts.hpp"
#include "scheduling/allocation/stage_load.hpp"
#include "scheduling/allocation/steady_time.hpp"

namespace stoker {

/// What an AllocationManager has decided, for people and tests.
struct AllocationStatus {
  /// Executors that are asked for, in all.
  int target = 0;

  /// Executors that the load could use.
  int needed = 0;

  /// Fewer than so many are of no use; 1: any are of use.
  int gang = 1;

  /// By how many the target grows next.
  int next_increment = 1;

  /// When it grows, if the cluster agrees.
  std::optional<Instant> add_at;
  std::int64_t executors = 0;

  /// Of these: told to end.
  std::int64_t leaving = 0;

  /// Nothing was submitted yet, and nobody idle for too long: the target stays.
  bool initializing = true;

  friend bool operator==(const AllocationStatus&, const AllocationStatus&)
      = default;
};

/// Decides how many executors an application wants, from the tasks that wait and run, and
/// which idle ones end: Spark's ExecutorAllocationManager, as version 3.5.9 has it.
///
/// A tick asks for another total, or ends executors, or both, one after the other: when
/// the total was answered, its answer decides who may end. As long as an answer is
/// missing, ticks do nothing. An answer to anything else than what is open, as a late one
/// or a second one, changes nothing.
///
/// Nobody has to tick all the time: `next_due` says when to. What only waits for time to
/// pass is due at its moment. What an event makes due waits for `interval`, as it may for
/// Spark's next tick: so several events are one decision, and a load that is gone for a
/// moment, as between two jobs, gives up nothing.
///
/// A barrier stage, which Spark refuses here (SPARK-24942), is asked for at once and as a
/// whole: the target becomes what it needs together with what runs, and the cluster is
/// told that less is of no use. What is idle while it waits is given back after
/// `gang_hold_timeout`, so that two applications that each have a part of what one of
/// them needs do not wait for each other.
///
/// The clock may jump: time that goes back does not pass.
class AllocationManager {
public:
  /// How often Spark's manager looks at what is due.
  static constexpr Duration interval = std::chrono::milliseconds{100};

  /// @pre validate(settings)
  explicit AllocationManager(const AllocationSettings& settings);

  /// To be called first, once. Its answer may come, and is of no matter.
  AllocationActions start(Instant now);

  /// Events of unknown stages, tasks and executors change nothing.
  AllocationActions step(Instant now, const AllocationEvent& event);

  [[nodiscard]] AllocationStatus status() const;

  /// When to tick, unless another event comes before; unset: a tick would change nothing,
  /// however much time passes.
  [[nodiscard]] std::optional<Instant> next_due() const;

private:
  struct RunningTask {
    StageAttempt stage;
    int exec_id = 0;
    IdleExecutors::Serial executor = 0;
    bool speculative = false;

    /// The stage was known when it began.
    bool counted = false;
  };

  struct HashAttempt {
    std::size_t operator()(const TaskAttempt& x) const noexcept;
  };

  /// A total that waits for its answer.
  struct OpenTotal {
    std::uint64_t number = 0;
    int before = 0;
    int gang_before = 1;

    /// Nothing waited in between: there is no series of steps to go on with.
    bool series_over = false;
  };

  void on(const StageSubmitted& x);
  void on(const StageEnded& x);
  void on(const TaskBegan& x);
  void on(const TaskOver& x);
  void on(const SpeculationWanted& x);
  void on(const SpeculationDropped& x);
  void on(const ExecutorJoined& x);
  void on(const ExecutorLeft& x);
  void on(const BlockStored& x);
  void on(const BlockDropped& x);
  void on(const DatasetUnpersisted& x);
  void on(const WantTotalAnswered& x);
  void on(const EndIdleAnswered& x);
  void on(const AllocationTick& x);

  void tasks_wait();
  void nothing_waits();

  [[nodiscard]] int needed() const;

  /// Executors for so many tasks at once, of which `ratio` is asked for.
  [[nodiscard]] int executors_for(std::int64_t tasks, double ratio) const;

  /// What the largest barrier stage that waits needs, beside what runs; 0: none waits.
  [[nodiscard]] int needed_at_once() const;
  void follow_gangs();
  [[nodiscard]] std::optional<Instant> gang_matters_from() const;

  /// Idle ones that a barrier stage could not use so far.
  [[nodiscard]] std::int64_t held_for_gang() const;
  void give_back();

  /// From when on a tick changes something, as it looks now.
  [[nodiscard]] std::optional<Instant> ticks_matter_from() const;
  [[nodiscard]] std::optional<Instant> target_changes_from() const;
  [[nodiscard]] std::optional<Instant> idle_end_from() const;
  void plan_next_tick();

  void update_target();
  void grow(int needed);

  /// What it grows to, at the next step.
  [[nodiscard]] std::int64_t grown(int needed) const;

  /// What it shrinks to.
  /// @pre needed < target_
  [[nodiscard]] int shrunk(int needed) const;

  /// Asks for it, unless it was asked for.
  void propose(std::int64_t target);

  /// How many of those that are there and not leaving are more than are wanted.
  [[nodiscard]] std::int64_t may_go() const;
  void end_idle();
  std::uint64_t say_total();

  AllocationSettings settings_;
  SteadyTime clock_;
  Instant now_;
  StageLoad load_;
  LocalityCounts locality_;
  IdleExecutors executors_;
  std::unordered_map<TaskAttempt, RunningTask, HashAttempt> running_;

  int target_;
  int gang_ = 1;
  std::int64_t increment_ = 1;

  /// Set as long as a barrier stage waits: when idle executors are given back.
  std::optional<Instant> give_back_at_;

  /// The cluster has not taken the last total.
  bool refused_ = false;

  /// Set as long as tasks wait.
  std::optional<Instant> add_at_;
  bool initializing_ = true;

  /// When to tick.
  std::optional<Instant> tick_at_;

  std::uint64_t last_number_ = 0;
  std::optional<OpenTotal> open_total_;
  std::optional<EndIdle> open_end_;
  AllocationActions actions_;
};

} // namespace stoker
