#pragma once

// Cuts a graph of datasets into stages, and says what their tasks do. Pure.

#include <memory>
#include <string>
#include <vector>

#include "embedding/job_session.hpp"
#include "jobs/graph.hpp"
#include "jobs/stage_program.hpp"
#include "messages/task.hpp"
#include "scheduling/jobs/stage_spec.hpp"

namespace stoker::jobs {

/// What is done with the partitions of a dataset.
struct Action {
  /// For people: "collect".
  std::string what;

  /// The operator that ends the last stage.
  std::string name;
  std::string state;

  /// result, or file with a directory.
  TaskOutputKind output = TaskOutputKind::result;
  std::string directory;

  /// Of so many partitions; one task for each.
  int first_partition = 0;
  int partitions = 1;
};

struct PlanSettings {
  /// Of each task [spark.task.cpus].
  int cores = 1;

  /// [spark.task.maxFailures]
  int max_failures = 4;

  /// [spark.stage.maxConsecutiveAttempts]
  int stage_attempts = 4;

  /// [spark.scheduler.pool]
  std::string pool = "default";

  /// [spark.memory.fraction]
  double memory_fraction = default_memory_fraction;
};

/// One stage: operators between shuffles, in one task for each partition of the last.
/// Knows nothing of the graph, so that it may outlive it.
class StagePlan {
public:
  [[nodiscard]] const StageSpec& spec() const noexcept {
    return spec_;
  }
  [[nodiscard]] const DescribeStage& description() const noexcept {
    return description_;
  }

  /// What a task is told.
  [[nodiscard]] LaunchTask describe(const TaskAttempt& task) const;

private:
  friend class StagePlanner;

  /// How a node of the program gets its partitions.
  struct Part {
    NodeKind kind = NodeKind::narrow;
    std::vector<std::uint32_t> parents;
    std::shared_ptr<const Source> source;
    UnitedPartitions united;
    CoalescedPartitions coalesced;
  };

  class Inputs;

  StageSpec spec_;
  DescribeStage description_;

  /// By place in the program; the operator that ends it is none.
  std::vector<Part> parts_;
  int first_partition_ = 0;
};

/// A job and what its tasks do. Stages that earlier jobs had have the same numbers.
class PlannedJob : public JobWork {
public:
  PlannedJob(JobSpec job, std::vector<std::shared_ptr<const StagePlan>> stages);

  [[nodiscard]] const JobSpec& job() const override {
    return job_;
  }
  [[nodiscard]] DescribeStage describe(StageId stage) const override;
  [[nodiscard]] LaunchTask describe(const TaskAttempt& task) const override;

private:
  [[nodiscard]] const StagePlan& plan(StageId stage) const;

  JobSpec job_;

  /// In the order of `job_.stages`, which is that of their numbers.
  std::vector<std::shared_ptr<const StagePlan>> stages_;
};

/// Fails if there is a barrier stage that cannot begin as a whole (barrier_rules.hpp).
/// @param result The number of the stage that does the action. Above those of all
/// others. @pre the action's partitions are partitions of the target
Result<std::shared_ptr<const PlannedJob>>
plan_job(const Node& target, const Action& action, JobId job, StageId result,
         const PlanSettings& settings);

} // namespace stoker::jobs
