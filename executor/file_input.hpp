#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "executor/input_source.hpp"
#include "process/unique_fd.hpp"

namespace stoker::executor {

/// The lines of a file that begin at `begin` or behind it, and before `end`; offsets in
/// bytes. Splits that cover a file give each of its lines once, and whole.
struct FileSplit {
  /// Of an end that is where the file ends, wherever that is.
  static constexpr std::int64_t end_of_file
      = std::numeric_limits<std::int64_t>::max();

  std::string path;
  std::int64_t begin = 0;
  std::int64_t end = end_of_file;

  friend bool operator==(const FileSplit&, const FileSplit&) = default;
};

/// Gives file splits, one after the other. A newline ends a line; what follows the last
/// one of a file is a line, too, and is given as it is, unless lines of another split
/// follow: then it gets its newline. Lines may have any bytes and any length; none is
/// held in memory.
///
/// Fails with `Errc::unreadable` if a file cannot be read, is no regular file, or ends
/// before `end`.
class FileInput : public InputSource {
public:
  explicit FileInput(std::vector<FileSplit> splits);

  Result<Fed> feed(int pipe) override;

private:
  /// Opens the next split and finds its first line.
  Status open_split();
  /// Sets `position_` to the begin of the first line, or `done_` if there is none.
  Status find_first_line(std::int64_t begin, std::int64_t end);
  /// Looks on for the end of the last line: moves `ready_`, or sets `done_`.
  Status look_on();
  Status close_split();
  Result<Fed> move(int pipe);
  Result<Fed> move_by_copying(int pipe, std::size_t bytes);
  Result<std::size_t> read_at(std::int64_t offset, std::size_t bytes);
  [[nodiscard]] Error failed(const std::string& why) const;
  [[nodiscard]] const FileSplit& split() const;

  std::vector<FileSplit> splits_;
  /// The split that is open, or comes next.
  std::size_t index_ = 0;
  process::UniqueFd file_;

  /// What comes next, and what is known to belong to the split.
  std::int64_t position_ = 0;
  std::int64_t ready_ = 0;
  /// Nothing behind `ready_` belongs to the split.
  bool done_ = false;
  /// A line without a newline was the last given.
  bool line_is_open_ = false;
  /// The file system moves nothing between files and pipes.
  bool copies_ = false;
  std::vector<char> buffer_;
};

} // namespace stoker::executor
