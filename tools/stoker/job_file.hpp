#pragma once

// What `stoker job FILE.json` reads (docs/jobs.md).

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "messages/result.hpp"
#include "messages/task.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

/// Files, cut into splits: a task for each.
struct FilesInput {
  /// As of glob(7), relative to where the job is submitted.
  std::vector<std::string> globs;
  std::int64_t split_bytes = std::int64_t{64} * 1024 * 1024;

  friend bool operator==(const FilesInput&, const FilesInput&) = default;
};

/// Lines, without their newlines, shared between tasks.
struct LinesInput {
  std::vector<std::string> lines;
  int tasks = 1;

  friend bool operator==(const LinesInput&, const LinesInput&) = default;
};

/// Each task gets its number.
struct RangeInput {
  int tasks = 1;

  friend bool operator==(const RangeInput&, const RangeInput&) = default;
};

/// Nothing: the stage reads other stages.
using JobInput
    = std::variant<std::monostate, FilesInput, LinesInput, RangeInput>;

struct JobShuffle {
  int partitions = 1;
  PartitionBy by = PartitionBy::key;

  friend bool operator==(const JobShuffle&, const JobShuffle&) = default;
};

struct JobStage {
  std::string name;

  /// Where the stage begins in the file, from 1; 0: it comes from no file.
  int line = 0;
  JobInput input;

  /// Places in `JobFile::stages`. Empty if there is an input.
  std::vector<std::size_t> from;

  /// The program and its arguments.
  std::vector<std::string> command;

  /// How others read it: by partition, or nothing: task by task.
  std::optional<JobShuffle> shuffle;

  /// A directory. Nothing: results go to standard output, or are read by others.
  std::optional<std::string> output;

  /// Of each task.
  std::optional<int> cores;

  /// So often may a task fail.
  std::optional<int> max_failures;

  /// Its tasks begin together.
  bool is_barrier = false;

  /// From the first launch until all tasks are done.
  std::optional<Duration> time_limit;

  /// Hosts where tasks had better run.
  std::vector<std::string> locality;
  std::map<std::string, std::string> env;

  /// Empty: where the job is submitted.
  std::string working_directory;

  friend bool operator==(const JobStage&, const JobStage&) = default;
};

/// A setting as it is written, and where: "words.json:3".
struct JobSetting {
  std::string name;
  std::string value;
  std::string origin;

  friend bool operator==(const JobSetting&, const JobSetting&) = default;
};

/// A job that is whole in itself. It is not known yet whether its files, programs and
/// directories are there.
struct JobFile {
  std::string name;

  /// Settings of the application, in the file's order; the names are not checked here.
  std::vector<JobSetting> conf;

  /// At least one, and none reads itself in the end.
  std::vector<JobStage> stages;

  friend bool operator==(const JobFile&, const JobFile&) = default;
};

inline constexpr int partitions_max = 1'000'000;

/// Reads a regular file of at most 16 MB. Strict: fails with one line that names the
/// file, its line and the stage, if anything is unknown, there twice, of a wrong type or
/// value, or does not fit to the rest.
Result<JobFile> read_job_file(const std::string& path);

/// The same, of what a file of that name says.
Result<JobFile> parse_job_file(std::string_view text, const std::string& name);

} // namespace stoker
