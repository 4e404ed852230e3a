#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/log_header.hpp"

namespace stoker {

/// How much of a message log is kept.
struct MessageLogLimits {
  /// Bytes of a file before the next one is begun; 0: no limit. A file has at
  /// least one step, however long.
  std::uint64_t file_bytes = std::uint64_t{1} << 30;

  /// FILE, FILE.1 (older), FILE.2...: so many in all. The oldest is dropped.
  int files = 4;
};

/// The files that a log is written to, the present one first: FILE, FILE.1,
/// ... What is not a regular file (a device, a pipe) is written to without end.
class LogFiles {
public:
  /// Begins a new series. A log that is there already becomes FILE.1.
  /// @param config JSON, for the header of each file
  /// @throws std::runtime_error with one line when FILE cannot be written, or
  /// something else than logs stands in its way.
  LogFiles(std::string path, LogKind kind, std::string config,
           MessageLogLimits limits);
  ~LogFiles();

  LogFiles(const LogFiles&) = delete;
  LogFiles& operator=(const LogFiles&) = delete;

  /// Writes whole lines. Returns false when that fails; then nothing more can
  /// be written.
  bool write(std::string_view lines);

private:
  [[nodiscard]] std::string name(int age) const;
  void check_what_is_there() const;
  bool make_room() const;
  bool open_file();
  bool begin_file();
  bool write_all(std::string_view text);

  std::string path_;
  MessageLogLimits limits_;
  LogFileHeader header_;
  std::string config_;
  std::uint64_t next_step_ = 1;
  int file_ = -1;
  bool regular_ = false;
  std::uint64_t size_ = 0;

  /// Of the header of the present file.
  std::uint64_t header_size_ = 0;
};

} // namespace stoker
