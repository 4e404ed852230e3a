#pragma once

// What must hold between the stages of a job.

#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "tools/stoker/job_file.hpp"

namespace stoker {

/// What is wrong with a stage.
struct StageProblem {
  /// Its place in `JobFile::stages`.
  std::size_t stage = 0;

  /// Without the stage's name: "has both 'input' and 'from'".
  std::string text;
};

/// Which stages others read, by place.
std::vector<bool> read_stages(const std::vector<JobStage>& stages);

/// Numbers of tasks, by stage; nothing: not known.
using TaskCounts = std::vector<std::optional<int>>;

/// Of stages with an input, as far as it is known without looking at files.
TaskCounts input_tasks(const std::vector<JobStage>& stages);

/// Completes the numbers of tasks of all stages that read others: those of narrow
/// parents, and the partitions of shuffled ones, which must agree. Unknown is what
/// follows from nothing but unknown numbers.
/// @pre `from` has places of stages. @pre as many counts as stages
std::optional<StageProblem> complete_tasks(const std::vector<JobStage>& stages,
                                           TaskCounts& counts);

/// What is wrong between the stages: input and from, shuffle and output, a circle,
/// numbers of tasks. Nothing: all is right.
/// @pre `from` has places of stages
std::optional<StageProblem>
find_stage_problem(const std::vector<JobStage>& stages);

} // namespace stoker
