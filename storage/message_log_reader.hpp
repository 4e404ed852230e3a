#pragma once

// Reading message logs: storage/message_log_format.hpp has the format.

#include <cstdint>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "storage/message_log_format.hpp"

namespace stoker {

/// The files of the log that `path` belongs to, those of the same series beside
/// it, oldest first, as far as they follow each other.
/// @throws std::runtime_error with one line when `path` cannot be read or is no
/// log.
std::vector<std::string> message_log_files(const std::string& path);

/// Reads a log, step by step. A last line that was cut off is no error.
class MessageLogReader {
public:
  /// One file of a log.
  /// @throws std::runtime_error when `in` does not begin as a log of a known
  /// version.
  explicit MessageLogReader(std::istream& in);

  /// Some files, one after the other. Later ones that do not follow the first
  /// are an error when they are reached.
  /// @throws std::runtime_error the same, and when the first cannot be read.
  explicit MessageLogReader(std::vector<std::string> files);

  MessageLogReader(const MessageLogReader&) = delete;
  MessageLogReader& operator=(const MessageLogReader&) = delete;

  /// Of the file that is being read.
  [[nodiscard]] const MessageLogHeader& header() const noexcept {
    return header_;
  }

  [[nodiscard]] const ClusterConfig& config() const noexcept {
    return header_.config;
  }

  /// Nothing at the end.
  /// @throws std::runtime_error with file and line's number when a line before
  /// the last is damaged, or a file does not follow the one before it.
  std::optional<LoggedStep> next();

private:
  void begin();
  bool begin_next_file();

  /// "FILE: ", where files are read.
  [[nodiscard]] std::string prefix() const;

  std::vector<std::string> files_;
  std::size_t next_file_ = 0;
  std::ifstream file_;
  std::istream* in_;
  MessageLogHeader header_;
  std::size_t line_number_ = 0;
  std::uint64_t next_step_ = 1;
  Instant last_at_ = Instant::min();
};

} // namespace stoker
