#pragma once

// The first line of each file of a message log, whosever steps it has: of a master
// (storage/message_log_format.hpp) or of a task scheduler
// (storage/task_log_format.hpp). docs/develop/replay.md describes both.

#include <cstdint>
#include <string>
#include <string_view>

namespace stoker {

/// Whose steps a log has.
enum class LogKind { master, task_scheduler };

/// What is written. Version 1 had neither series nor segments: a file of it is
/// a whole log. Up to version 2 a new leader found what is known of instances in
/// the records of their applications. Up to version 3 no step said that a master led no
/// longer.
inline constexpr int message_log_version = 4;

/// Of a task scheduler's log.
inline constexpr int task_log_version = 1;

/// What this program writes, and the last that it reads.
int newest_version(LogKind kind);

/// What a header says, but for the configuration.
struct LogFileHeader {
  LogKind kind = LogKind::master;
  int version = message_log_version;

  /// The same in all files of one process's life, and in no others. Empty in
  /// version 1 of a master's log.
  std::string series;

  /// The file's number in its series, from 1.
  std::uint64_t segment = 1;

  /// The number of the first step in this file, from 1.
  std::uint64_t first_step = 1;
};

/// The first line of each file of a log.
template <class Format>
struct LogHeader : LogFileHeader {
  LogHeader() {
    kind = Format::kind;
    version = newest_version(Format::kind);
  }

  /// What the log's owner began with.
  typename Format::Config config;
};

/// Whether a file that begins so is a message log, of whatever kind and version.
bool begins_as_message_log(std::string_view text);

/// The line with its end.
/// @param config JSON
std::string to_line(const LogFileHeader& header, std::string_view config);

/// @throws std::runtime_error, one line, for what is not the header of a known
/// kind and version.
LogFileHeader parse_log_file_header(std::string_view line);

/// "a master's log"
std::string describe(LogKind kind);

} // namespace stoker
