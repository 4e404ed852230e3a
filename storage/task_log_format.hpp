#pragma once

// The format of task schedulers' message logs, which is that of masters' but for the
// events and the configuration. docs/develop/replay.md describes it.
//
//   {"stoker_task_log":1,"series":"1763711160000-17","segment":1,
//    "first_step":1,"config":{...}}
//   {"at":1763711160000,"event":{"RegisterExecutor":{...}},
//    "effects":["TellStage exec_id=0 stage=0", ...]}
//
// What decisions do not depend on and may be large is cut short: results, and what
// tasks wrote to standard error.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduling/common/instant.hpp"
#include "scheduling/jobs/job_events.hpp"
#include "scheduling/jobs/jobs_config.hpp"
#include "storage/jobs_effect_lines.hpp"
#include "storage/log_header.hpp"

namespace stoker {

/// So many tasks that have places, and places of tasks, are read from one line: far
/// more than `stoker job` has, and not so many that a line could take all memory.
inline constexpr std::int64_t logged_places_max = 10'000'000;

/// One step of a JobScheduler.
struct LoggedJobsStep {
  /// From 1.
  std::uint64_t number = 0;

  Instant at;

  /// Results are "(17 bytes)".
  JobsEvent event;

  /// As JobsEffectLines renders them.
  std::vector<std::string> effects;

  /// The line as it was read.
  std::string line;
};

/// The format of a task scheduler's log.
struct TaskLog {
  using Config = JobsConfig;
  using Step = LoggedJobsStep;
  static constexpr LogKind kind = LogKind::task_scheduler;

  /// @throws std::runtime_error, one line, for what is not the header of a known
  /// version.
  static LogHeader<TaskLog> parse_header(std::string_view line);

  /// Leaves the number to the caller.
  /// @throws std::exception for a damaged line.
  static LoggedJobsStep parse_step(std::string line);
};

using TaskLogHeader = LogHeader<TaskLog>;

/// The line with its end.
std::string to_line(const TaskLogHeader& header);

/// Adds the line of one step, with its end.
void append_step(std::string& out, Instant at, const JobsEvent& event,
                 const JobsEffects& effects, JobsEffectLines& lines);

} // namespace stoker
