#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "scheduling/jobs/barrier_attempts.hpp"
#include "scheduling/jobs/exclusions.hpp"
#include "scheduling/jobs/locality_wait.hpp"
#include "scheduling/jobs/run_times.hpp"
#include "scheduling/jobs/stage_outputs.hpp"
#include "scheduling/jobs/stage_spec.hpp"
#include "scheduling/jobs/task_set.hpp"

namespace stoker {

/// Where a task's result is that is on its way to the job's owner.
struct ResultOnItsWay {
  int attempt = 0;
  int server = 0;
};

/// What is known of a stage.
struct Stage {
  explicit Stage(StageSpec x) : spec(std::move(x)) {
    if (!spec.is_result)
      outputs.emplace(spec.tasks);
    if (spec.is_barrier)
      barrier.emplace();
  }

  StageSpec spec;

  /// Jobs that have not ended and have this stage.
  std::set<JobId> jobs;

  /// Where its outputs are; nothing: its results go to the job's owner.
  std::optional<StageOutputTable> outputs;

  /// From when tasks began for the first time: then it is known where they had better
  /// run.
  std::optional<TaskSet> tasks;

  /// Of a barrier stage.
  std::optional<BarrierAttempts> barrier;

  /// Whether tasks may begin: some job needs them, and what they read is there.
  bool is_active = false;

  /// Cores of attempts that count.
  int running_cores = 0;

  LocalityWait locality_wait;
  RunTimes run_times;
  Exclusions exclusions;

  /// Results of tasks that did what they should, and do not count yet.
  std::map<int, ResultOnItsWay> on_their_way;

  /// How often a task's result could not be fetched, of those.
  std::map<int, int> results_lost;

  /// Of the first launch since it became active.
  std::optional<Instant> first_launch;

  /// Since when its tasks may run on no executor, because of what failed there.
  std::optional<Instant> unschedulable_since;

  /// When it is looked for attempts that take long.
  std::optional<Instant> next_speculation;

  /// No executor has room for a task of those that wait, but for executors that
  /// change; and until when that holds.
  bool looked_everywhere = false;
  std::optional<Instant> look_again;

  [[nodiscard]] bool is_complete() const {
    return tasks && tasks->done() == spec.tasks && on_their_way.empty();
  }
};

} // namespace stoker
