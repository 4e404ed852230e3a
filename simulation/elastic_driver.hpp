#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "scheduling/allocation/executor_allocation.hpp"
#include "scheduling/application/application_events.hpp"
#include "simulation/elastic_tasks.hpp"
#include "simulation/network.hpp"

namespace stoker::simulation {

class Referee;

/// Beside the session of an elastic application: an ExecutorAllocation wired to its
/// clock, to what the session learns and to its tasks, as the actor is
/// (actors/allocation_manager.cpp). It imitates these, and decides nothing.
class ElasticDriver {
public:
  using OnAnswer = std::function<void(std::optional<bool>)>;

  /// Asks the master. Calls back once, later: with its answer, or with nothing.
  using Ask = std::function<void(Event, OnAnswer)>;

  /// @param stop What it tells executors over their own connections.
  ElasticDriver(Process& process, std::uint64_t seed,
                const AllocationSettings& settings, Ask ask,
                ElasticTasks::Stop stop, Referee& referee);

  void start();

  /// The load grows by a stage.
  void burst(int tasks, Duration longest) {
    tasks_.submit(tasks, longest);
  }

  /// Whoever wants the load gives up.
  void cancel() {
    tasks_.cancel();
  }

  void hear(const ApplicationNews& news);

  // The executor's own connection to its driver.
  void executor_connects(int exec_id);
  void executor_is_gone(int exec_id);

  // -- figures ----------------------------------------------------------------

  [[nodiscard]] const AllocationSettings& settings() const noexcept {
    return settings_;
  }
  [[nodiscard]] const ExecutorAllocation& allocation() const noexcept {
    return allocation_;
  }
  [[nodiscard]] const ElasticTasks& tasks() const noexcept {
    return tasks_;
  }

  /// Since when it wants a total that no leader has acknowledged.
  [[nodiscard]] std::optional<Instant> wants_since() const {
    return wants_since_;
  }

  /// Since when an executor has been told to end that has not ended, as far as is known
  /// here.
  [[nodiscard]] std::optional<Instant> releases_since() const;

  /// When it was last that a task ended, a burst came or an executor did.
  [[nodiscard]] Instant last_change() const noexcept {
    return last_change_;
  }

private:
  void feed(ExecutorAllocationEvent event);
  void step(const ExecutorAllocationEvent& event);
  void carry_out(const ExecutorAllocationEffects& effects);
  void apply(const AskForTotal& x);
  void apply(const AskToKill& x);
  void apply(const AskIdleToLeave& x);
  void apply(const AllocationWakesAt& x);
  void take_figures();

  Process& process_;
  Dice dice_;
  AllocationSettings settings_;
  Ask ask_;
  Referee& referee_;
  ExecutorAllocation allocation_;
  ElasticTasks tasks_;
  std::optional<Instant> wants_since_;
  std::map<int, Instant> released_;
  Instant last_change_;
};

} // namespace stoker::simulation
