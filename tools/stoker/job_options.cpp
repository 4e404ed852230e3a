#include "tools/stoker/job_options.hpp"

#include <utility>

#include "tools/stoker/command_name.hpp"

namespace stoker {

Status check_partitions(int count) {
  return count >= 1 && count <= partitions_max
             ? Status{}
             : invalid("--partitions must be from 1 to "
                       + std::to_string(partitions_max));
}

namespace {

JobStage shell_stage(const char* name, const std::string& line) {
  JobStage result;
  result.name = name;
  result.command = {"sh", "-c", line};
  return result;
}

Status validate_options(const JobOptions& options) {
  if (options.inputs.empty())
    return invalid("--input is missing: the files that the job reads");
  for (const auto& input : options.inputs)
    if (input.empty())
      return invalid("--input must not be empty");
  if (options.map.empty())
    return invalid("--map is missing: the command that reads the files");
  if (options.partitions && options.reduce.empty())
    return invalid("--partitions needs --reduce: the command that reads them");
  return options.partitions ? check_partitions(*options.partitions) : Status{};
}

} // namespace

Result<JobFile> job_file_of(const JobOptions& options) {
  if (auto valid = validate_options(options); !valid)
    return std::move(valid).error();
  JobFile result;
  result.name
      = options.name.empty() ? shell_line_name(options.map) : options.name;
  auto map = shell_stage("map", options.map);
  map.input = FilesInput{options.inputs};
  if (!options.reduce.empty())
    map.shuffle = JobShuffle{options.partitions.value_or(1), PartitionBy::key};
  result.stages.push_back(std::move(map));
  if (!options.reduce.empty()) {
    result.stages.push_back(shell_stage("reduce", options.reduce));
    result.stages.back().from = {0};
  }
  if (!options.output.empty())
    result.stages.back().output = options.output;
  return result;
}

} // namespace stoker
