#pragma once

// The format of message logs: JSON Lines that a person can read.
// docs/develop/replay.md describes it.
//
//   {"stoker_message_log":3,"series":"1763711160000-17","segment":1,
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

namespace stoker {

/// What is written. Version 1 had neither series nor segments: a file of it is
/// a whole log. Up to version 2 a new leader found what is known of instances in
/// the records of their applications.
inline constexpr int message_log_version = 3;

/// The first line of each file of a log.
struct MessageLogHeader {
  int version = message_log_version;

  /// The same in all files of one master's life, and in no others. Empty in
  /// version 1.
  std::string series;

  /// The file's number in its series, from 1.
  std::uint64_t segment = 1;

  /// The number of the first step in this file, from 1.
  std::uint64_t first_step = 1;

  /// What the master began with.
  ClusterConfig config;
};

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

/// Whether a file that begins so is a message log, of whatever version.
bool begins_as_message_log(std::string_view text);

/// The line with its end. Values of environment variables, which may be
/// secrets, are hidden.
std::string to_line(const MessageLogHeader& header);

/// Adds the line of one step, with its end.
/// @param made_with The configuration of the Cluster that was made for this
/// step, if one was.
void append_step(std::string& out, Instant at, const EndpointId& from,
                 const Event& event, const StepResult& result,
                 const ClusterConfig* made_with = nullptr);

/// @throws std::runtime_error, one line, for what is not the header of a known
/// version.
MessageLogHeader parse_message_log_header(std::string_view line);

/// Leaves the number to the caller.
/// @throws std::exception for a damaged line.
LoggedStep parse_step(std::string line);

} // namespace stoker
