#pragma once

#include <string>
#include <variant>
#include <vector>

#include "jobs/file_splits.hpp"
#include "messages/result.hpp"
#include "messages/task.hpp"
#include "scheduling/jobs/stage_spec.hpp"
#include "tools/stoker/job_file.hpp"

namespace stoker {

/// What a job file asks for, made of what was there when it was planned. Takes memory
/// for stages, files and lines, and none for a task, unless its stage has `locality`.
class JobPlan {
public:
  /// Stages have their place in the file as number.
  [[nodiscard]] const JobSpec& job() const noexcept {
    return job_;
  }

  // What tasks do. @pre a stage of `job`, and a task of it

  [[nodiscard]] const DescribeStage& describe(StageId stage) const;
  [[nodiscard]] LaunchTask describe(const TaskAttempt& task) const;

  /// The directory that a stage writes, absolute; empty: its output is read by other
  /// stages, or goes to standard output.
  [[nodiscard]] const std::string& output(StageId stage) const {
    return describe(stage).directory;
  }

private:
  friend class JobPlanner;

  struct Stage {
    DescribeStage description;
    std::variant<std::monostate, FileSplits, LinesInput, RangeInput> input;
  };

  JobSpec job_;
  std::vector<Stage> stages_;
};

/// Of stages that do not say it themselves.
struct StageDefaults {
  int cores = 1;
  int max_failures = 4;

  /// Of a barrier stage.
  int stage_attempts = 4;
};

/// Looks for all that a job needs, and changes nothing. Fails with one line on the first
/// stage that cannot be: no file matches, a program or a directory is missing, an output
/// is there already, numbers of tasks do not fit.
/// @param directory Absolute: where relative names begin.
Result<JobPlan> plan_job(const JobFile& file, const std::string& directory,
                         const StageDefaults& defaults = {});

} // namespace stoker
