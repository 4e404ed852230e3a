#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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
// Once rotation has deleted files, a second link, `stdout.oldest`, names the first
// file that it kept: what else is missing before a file was taken by another process.

/// The largest size of a file of a log, and the largest offset of its first byte, so that sums
/// do not overflow. A larger file, which only a program makes, does not belong to the log.
inline constexpr std::int64_t log_file_bytes_max = std::int64_t{1} << 48;
inline constexpr std::int64_t log_start_max = std::int64_t{1} << 61;

/// One file of a log.
struct LogFile {
  /// The absolute offset of its first byte.
  std::int64_t start = 0;
  std::string name;
};

/// The files of a log in a directory, the oldest first. Fails with an `errno` value.
std::variant<std::vector<LogFile>, int> list_log_files(int directory,
                                                       const std::string& log);

/// Returns the offset before which rotation has deleted everything; 0 if it deleted nothing.
std::int64_t rotated_until(int directory, const std::string& log);

/// Writes a log and rotates it: the oldest file gives way to what is new.
///
/// While bytes are kept for a reader it is the writer who waits: the log takes
/// nothing that would cost one of them, and nothing that the disk refuses. With
/// no byte to keep nothing ever waits: what cannot be written is dropped and
/// counted, and a note takes its place as soon as writing works again.
///
/// A file that the program has removed or cut off gets no more: what follows goes to a
/// new file, so the log has a gap instead of a wrong offset. Bytes that the program has
/// appended to the present file are output. What is no file and has the name of the next
/// one is renamed (`.aside`).
class LogWriter {
public:
  /// @param directory Has to stay open for as long as the writer lives.
  LogWriter(int directory, std::string log, std::int64_t bytes_max,
            int files_max);

  /// Starts the log, in place of one that an earlier program left. Returns 0 or
  /// `errno`.
  int open();

  /// Returns true if a link can name the oldest file (`rotated_until`).
  [[nodiscard]] bool names_oldest() const noexcept {
    return names_oldest_;
  }

  /// Keeps all bytes from an absolute offset on; nothing: any byte may go.
  void keep_from(std::optional<std::int64_t> offset);

  enum class Limit { kept, ignored };

  /// Appends, and returns how many bytes are dealt with. Fewer than all: the
  /// rest has to be offered again, when `keep_from` allows more or `error` has
  /// passed.
  /// @param limit `ignored`: however full the log is, none of it goes.
  std::size_t write(std::string_view data, Limit limit = Limit::kept);

  /// Counts what will never be written.
  void drop(std::size_t bytes);

  /// Leaves a last note about dropped output, if it can, and closes the log.
  void close();

  /// Why the last `write` did not take all, an `errno` value. 0 if it did, or
  /// if the log is full of bytes that are kept.
  [[nodiscard]] int error() const noexcept {
    return error_;
  }

  /// All that was dropped, in bytes.
  [[nodiscard]] std::int64_t dropped() const noexcept {
    return dropped_;
  }

  /// How much the log took, in bytes from its start, notes included.
  [[nodiscard]] std::int64_t end() const noexcept {
    return start_ + size_;
  }

private:
  /// Counts what the program has appended to the present file. Returns false if the file
  /// was removed or cut off.
  [[nodiscard]] bool follow_file();
  bool start_file(std::int64_t start);
  bool rotate(Limit limit);
  bool write_note();

  /// Lets a link name the oldest file that rotation keeps. Returns false if it cannot.
  bool set_oldest(const LogFile& file) const;

  /// Deletes the oldest files until at most `count` are left. Returns false if
  /// one of those is kept.
  [[nodiscard]] bool leave_newest(int count) const;

  int directory_;
  std::string log_;
  std::int64_t bytes_max_;
  int files_max_;

  UniqueFd file_;
  bool names_oldest_ = false;
  std::int64_t start_ = 0;
  std::int64_t size_ = 0;
  /// Whether the last byte written ended a line.
  bool at_line_start_ = true;

  std::optional<std::int64_t> keep_from_;
  int error_ = 0;
  std::int64_t dropped_ = 0;

  /// Dropped since the last note, and why, an `errno` value.
  std::int64_t not_noted_ = 0;
  int dropped_because_ = 0;
};

} // namespace stoker::process
