#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "process/unique_fd.hpp"

namespace stoker::process {

// A log is a row of files, each named after the absolute offset of its first
// byte, and a symbolic link to the newest:
//
//     stdout.00000000000000000000
//     stdout.00000000000067108864
//     stdout -> stdout.00000000000067108864
//
// Names say all there is to know, so a reader needs no index that could
// disagree with the files, and rotation moves nothing under a reader's feet.

/// One file of a log.
struct LogFile {
  /// The absolute offset of its first byte.
  std::int64_t start = 0;
  std::string name;
};

/// The files of a log in a directory, the oldest first.
std::vector<LogFile> list_log_files(int directory, const std::string& log);

/// Writes a log and rotates it. A disk that is full never stops anything:
/// output is dropped and counted, and a note takes its place as soon as
/// writing works again.
class LogWriter {
public:
  /// @param directory Has to stay open for as long as the writer lives.
  LogWriter(int directory, std::string log, std::int64_t bytes_max,
            int files_max);

  /// Starts the log, in place of one that an earlier program left. Returns 0 or
  /// `errno`.
  int open();

  /// Appends, or drops what cannot be written.
  void write(std::string_view data);

  /// Leaves a last note about lost output, if it can, and closes the log.
  void close();

private:
  bool start_file(std::int64_t start);
  bool rotate();
  bool write_note();
  void drop(std::string_view data);

  /// Deletes the oldest files until at most `count` are left.
  void keep_newest(int count) const;

  int directory_;
  std::string log_;
  std::int64_t bytes_max_;
  int files_max_;

  UniqueFd file_;
  std::int64_t start_ = 0;
  std::int64_t size_ = 0;
  /// Whether the last byte written ended a line.
  bool at_line_start_ = true;

  std::int64_t lost_bytes_ = 0;
  /// Why they were lost, an `errno` value.
  int lost_error_ = 0;
};

} // namespace stoker::process
