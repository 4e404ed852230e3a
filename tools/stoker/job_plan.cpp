#include "tools/stoker/job_plan.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cassert>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "tools/stoker/job_stages.hpp"
#include "tools/stoker/program_lookup.hpp"

namespace stoker {

namespace {

namespace fs = std::filesystem;

/// Each place of a task takes memory.
constexpr std::int64_t places_max = 1'000'000;

/// Without "." and a slash at the end.
std::string absolute_name(const std::string& name,
                          const std::string& directory) {
  auto path = (fs::path{directory} / name).lexically_normal();
  return path.has_filename() ? path.string() : path.parent_path().string();
}

/// `PATH` of the stage's programs, as far as it is known here.
std::string search_path_of(const JobStage& stage) {
  if (auto own = stage.env.find("PATH"); own != stage.env.end())
    return own->second;
  const auto* here = std::getenv("PATH");
  return here != nullptr ? here : "/usr/local/bin:/usr/bin:/bin";
}

/// So many lines that tasks have one more than others at most.
std::string lines_of_task(const LinesInput& input, std::int32_t task) {
  auto count = static_cast<std::int64_t>(input.lines.size());
  auto begin = count * task / input.tasks;
  auto end = count * (task + 1) / input.tasks;
  std::string result;
  for (auto i = begin; i < end; ++i)
    result += input.lines[static_cast<std::size_t>(i)] + '\n';
  return result;
}

} // namespace

/// Makes a plan, stage by stage.
class JobPlanner {
public:
  JobPlanner(const JobFile& file, const std::string& directory,
             const StageDefaults& defaults)
      : file_(file), directory_(absolute_name("", directory)),
        defaults_(defaults), is_read_(read_stages(file.stages)) {
  }

  Result<JobPlan> plan() {
    plan_.job_.name = file_.name;
    auto counts = input_tasks(file_.stages);
    for (std::size_t i = 0; i < file_.stages.size(); ++i) {
      if (auto status = add(i, counts[i]); !status)
        return in_stage(i, status.error());
    }
    if (auto problem = complete_tasks(file_.stages, counts))
      return invalid("stage '" + file_.stages[problem->stage].name + "' "
                     + problem->text);
    for (std::size_t i = 0; i < file_.stages.size(); ++i)
      if (auto status = add_spec(i, *counts[i]); !status)
        return in_stage(i, status.error());
    if (auto valid = validate(plan_.job_); !valid)
      return std::move(valid).error();
    return std::move(plan_);
  }

private:
  [[nodiscard]] Error in_stage(std::size_t i, const Error& why) const {
    return {why.code, "stage '" + file_.stages[i].name + "': " + why.message};
  }

  [[nodiscard]] static StageId id_of(std::size_t i) {
    return StageId{static_cast<std::int32_t>(i)};
  }

  /// @param tasks Set if the stage reads files.
  Status add(std::size_t i, std::optional<int>& tasks) {
    const auto& stage = file_.stages[i];
    JobPlan::Stage result;
    auto command = command_of_stage(stage);
    if (!command)
      return std::move(command).error();
    result.description.stage = id_of(i);
    result.description.name = stage.name;
    result.description.command = *std::move(command);
    result.description.cores = stage.cores.value_or(defaults_.cores);
    result.description.reads = reads_of(stage);
    if (stage.shuffle) {
      result.description.partitions = stage.shuffle->partitions;
      result.description.partition_by = stage.shuffle->by;
    }
    if (is_read_[i])
      result.description.output = TaskOutputKind::output;
    if (stage.output) {
      auto output = output_of_stage(*stage.output);
      if (!output)
        return std::move(output).error();
      result.description.output = TaskOutputKind::file;
      result.description.directory = *std::move(output);
    }
    if (auto status = add_input(stage, result, tasks); !status)
      return status;
    plan_.stages_.push_back(std::move(result));
    return {};
  }

  Status add_input(const JobStage& stage, JobPlan::Stage& to,
                   std::optional<int>& tasks) {
    if (const auto* lines = std::get_if<LinesInput>(&stage.input))
      to.input = *lines;
    if (const auto* range = std::get_if<RangeInput>(&stage.input))
      to.input = *range;
    const auto* input = std::get_if<FilesInput>(&stage.input);
    if (input == nullptr)
      return {};
    auto files = find_files(input->globs, directory_);
    if (!files)
      return std::move(files).error();
    auto splits = FileSplits::cut(*std::move(files), input->split_bytes);
    if (!splits)
      return std::move(splits).error();
    tasks = splits->tasks();
    to.input = *std::move(splits);
    return {};
  }

  [[nodiscard]] Result<Command> command_of_stage(const JobStage& stage) const {
    Command result;
    result.environment = stage.env;
    result.search_path = search_path_of(stage);
    result.working_directory
        = absolute_name(stage.working_directory, directory_);
    result.working_directory_required = !stage.working_directory.empty();
    std::error_code error;
    if (!fs::is_directory(result.working_directory, error))
      return invalid("there is no working directory '"
                     + result.working_directory + "'");
    auto program = find_program(stage.command.front(), result.search_path,
                                result.working_directory);
    if (!program)
      return std::move(program).error();
    result.arguments = stage.command;
    result.arguments.front() = *std::move(program);
    return result;
  }

  [[nodiscard]] std::vector<StageDependency>
  reads_of(const JobStage& stage) const {
    std::vector<StageDependency> result;
    for (auto parent : stage.from)
      result.push_back({id_of(parent), file_.stages[parent].shuffle
                                           ? DependencyKind::shuffle
                                           : DependencyKind::narrow});
    return result;
  }

  Result<std::string> output_of_stage(const std::string& name) {
    auto path = absolute_name(name, directory_);
    std::error_code error;
    // Also a link that leads nowhere.
    if (fs::exists(fs::symlink_status(path, error)))
      return invalid("the output '" + name
                     + "' exists; remove it, or name another directory");
    if (!outputs_.insert(path).second)
      return invalid("another stage has the output '" + name + "', too");
    auto parent = fs::path{path}.parent_path();
    if (!fs::is_directory(parent, error))
      return invalid("there is no directory '" + parent.string()
                     + "' for the output '" + name + "'");
    if (::faccessat(AT_FDCWD, parent.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
      return invalid("nothing can be written in '" + parent.string()
                     + "', where the output '" + name + "' should be");
    return path;
  }

  Status add_spec(std::size_t i, int tasks) {
    const auto& stage = file_.stages[i];
    StageSpec result;
    result.id = id_of(i);
    result.name = stage.name;
    result.tasks = tasks;
    result.reads = plan_.stages_[i].description.reads;
    result.cores = plan_.stages_[i].description.cores;
    result.max_failures = stage.max_failures.value_or(
        stage.is_barrier ? defaults_.stage_attempts : defaults_.max_failures);
    result.time_limit = stage.time_limit;
    result.is_result = !is_read_[i];
    result.is_barrier = stage.is_barrier;
    plan_.stages_[i].description.tasks = tasks;
    plan_.stages_[i].description.is_barrier = stage.is_barrier;
    std::vector<TaskPlace> places;
    for (const auto& host : stage.locality)
      places.push_back({host, {}});
    if (std::int64_t{tasks} * static_cast<std::int64_t>(places.size())
        > places_max)
      return invalid("'locality' is for at most " + std::to_string(places_max)
                     + " tasks times hosts");
    if (!places.empty())
      result.places.assign(static_cast<std::size_t>(tasks), places);
    plan_.job_.stages.push_back(std::move(result));
    return {};
  }

  const JobFile& file_;
  const std::string directory_;
  const StageDefaults defaults_;
  const std::vector<bool> is_read_;
  std::set<std::string> outputs_;
  JobPlan plan_;
};

const DescribeStage& JobPlan::describe(StageId stage) const {
  return stages_.at(static_cast<std::size_t>(stage.value)).description;
}

LaunchTask JobPlan::describe(const TaskAttempt& task) const {
  const auto& input
      = stages_.at(static_cast<std::size_t>(task.stage.value)).input;
  LaunchTask result;
  result.id = task;
  if (const auto* files = std::get_if<FileSplits>(&input))
    result.splits = {files->split(task.task)};
  else if (const auto* lines = std::get_if<LinesInput>(&input))
    result.text = lines_of_task(*lines, task.task);
  else if (std::holds_alternative<RangeInput>(input))
    result.text = std::to_string(task.task) + '\n';
  return result;
}

Result<JobPlan> plan_job(const JobFile& file, const std::string& directory,
                         const StageDefaults& defaults) {
  assert(directory.starts_with('/'));
  return JobPlanner{file, directory, defaults}.plan();
}

} // namespace stoker
