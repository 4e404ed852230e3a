#pragma once

// Effects of a task scheduler as its message log has them. What decisions do not
// depend on and may be large is cut short, both where a log is written and where a
// replay compares.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "scheduling/jobs/job_events.hpp"

namespace stoker {

/// So much of the end of what a task wrote to standard error is in a log.
inline constexpr std::size_t logged_lines_bytes_max = 1024;

/// Of a stage with more outputs only their number and a fingerprint are in a log.
inline constexpr std::size_t logged_outputs_max = 16;

/// The end of what a task wrote, which begins with a whole character of UTF-8. Cutting
/// it again changes nothing: what is read from a log has the same effects.
std::string_view logged_end_of(std::string_view lines);

/// Effects of one JobScheduler as they stand in its log.
class JobsEffectLines {
public:
  /// Valid until the next call.
  std::string_view line(const JobsEffect& x);

private:
  struct Outputs {
    /// As long as it is held here, no other list has its address.
    std::shared_ptr<const StageOutputs> list;
    std::string text;
  };
  const std::string& text_of(const TellOutputs& x);

  /// By stage: a long list, which all executors are told, is read once.
  std::map<StageId, Outputs> outputs_;
  std::string line_;
};

} // namespace stoker
