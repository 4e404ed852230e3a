#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scheduling/allocation/allocation_manager.hpp"

namespace stoker::test {

/// An AllocationManager in the plainest way: it keeps lists of what it was told, and goes
/// through all of them for each figure.
class NaiveAllocation {
public:
  explicit NaiveAllocation(const AllocationSettings& settings);

  AllocationActions start(Instant now);
  AllocationActions step(Instant now, const AllocationEvent& event);
  [[nodiscard]] AllocationStatus status() const;

private:
  struct Stage {
    StageAttempt id;
    bool ended = false;
    std::int64_t tasks = 0;
    LocalityHints locality;
    std::set<int> begun;
    std::set<int> copies;
  };

  struct Executor {
    int id = 0;
    std::int64_t number = 0;
    Instant idle_since;
    std::set<std::pair<int, int>> blocks;
    bool asked = false;
    bool leaving = false;
  };

  struct Task {
    TaskAttempt id;
    std::int64_t executor = -1;
    bool speculative = false;

    /// Nothing: it was not known.
    std::optional<StageAttempt> stage;
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

  Stage* find_stage(StageAttempt id);
  Executor* find_executor(int id);
  void pass_time(Instant now);
  void empty_queue();
  void forget_stages();

  [[nodiscard]] std::int64_t pending() const;
  [[nodiscard]] std::int64_t copies() const;
  [[nodiscard]] std::int64_t running() const;
  [[nodiscard]] int needed() const;
  [[nodiscard]] std::int64_t leaving() const;
  [[nodiscard]] LocalityHints locality() const;
  [[nodiscard]] bool is_due(const Executor& x) const;
  void remove_idle();
  void request();

  AllocationSettings settings_;
  std::optional<Instant> given_;
  Instant time_;
  std::vector<Stage> stages_;
  std::vector<Executor> executors_;
  std::vector<Task> tasks_;
  std::int64_t executors_ever_ = 0;
  std::int64_t target_;
  std::int64_t increment_ = 1;
  std::optional<Instant> timer_;
  bool initial_ = true;
  std::uint64_t numbers_ = 0;

  // What waits for an answer; 0: nothing.
  std::uint64_t open_request_ = 0;
  std::int64_t target_before_ = 0;
  bool emptied_since_ = false;
  std::uint64_t open_kill_ = 0;

  AllocationActions actions_;
};

} // namespace stoker::test
