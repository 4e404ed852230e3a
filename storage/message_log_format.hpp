#pragma once

// The format of masters' message logs: JSON Lines that a person can read.
// docs/develop/replay.md describes it.
//
//   {"stoker_message_log":4,"series":"1763711160000-17","segment":1,
//    "first_step":1,"config":{...}}
//   {"at":1763711160000,"from":"...","event":{"RegisterWorker":{...}},
//    "effects":["to w1: RegisteredWorker ...", ...]}
//
// The first line of a file is its header, each other line is one step.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduling/master/config.hpp"
#include "scheduling/master/events.hpp"
#include "scheduling/master/step_result.hpp"
#include "storage/log_header.hpp"

namespace stoker {

/// One step of a master.
struct LoggedStep {
  /// From 1.
  std::uint64_t number = 0;

  Instant at;

  /// The peer that sent the event; empty for the master itself.
  EndpointId from;

  Event event;

  /// As `to_lines(StepResult)` renders them.
  std::vector<std::string> effects;

  /// The Cluster was made anew for this step: a leadership began.
  std::optional<ClusterConfig> made_with;

  /// The line as it was read.
  std::string line;
};

/// The format of a master's log.
struct MasterLog {
  using Config = ClusterConfig;
  using Step = LoggedStep;
  static constexpr LogKind kind = LogKind::master;

  /// @throws std::runtime_error, one line, for what is not the header of a known
  /// version.
  static LogHeader<MasterLog> parse_header(std::string_view line);

  /// Leaves the number to the caller.
  /// @throws std::exception for a damaged line.
  static LoggedStep parse_step(std::string line);
};

using MessageLogHeader = LogHeader<MasterLog>;

/// The line with its end. Values of environment variables, which may be
/// secrets, are hidden.
std::string to_line(const MessageLogHeader& header);

/// Adds the line of one step, with its end.
/// @param made_with The configuration of the Cluster that was made for this
/// step, if one was.
void append_step(std::string& out, Instant at, const EndpointId& from,
                 const Event& event, const StepResult& result,
                 const ClusterConfig* made_with = nullptr);

} // namespace stoker
