#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "tools/stoker/job_file.hpp"

namespace stoker {

/// A job on the command line, of one stage or two:
/// `stoker job --input 'texts/*.txt' --map 'tr ...' --reduce 'sort | uniq -c'`.
struct JobOptions {
  /// Empty: "job".
  std::string name;

  /// Patterns of files.
  std::vector<std::string> inputs;

  /// Lines for a shell.
  std::string map;
  std::string reduce;

  /// Of what `map` writes, for `reduce`; unset: 1.
  std::optional<int> partitions;

  /// A directory; empty: standard output.
  std::string output;
};

/// Whether `--partitions` may say so. The error names the option.
Status check_partitions(int count);

/// The stages "map", and "reduce" if there is one. Fails with a line that names the
/// option that is missing or wrong.
Result<JobFile> job_file_of(const JobOptions& options);

} // namespace stoker
