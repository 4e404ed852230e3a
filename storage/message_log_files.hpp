#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "process/unique_fd.hpp"
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
  /// Begins a new series. A log that is there already becomes FILE.1 once FILE.next has the
  /// new header; then that is FILE.
  /// @param config JSON, for the header of each file
  /// @throws std::runtime_error with one line when the name is wrong: its folder
  /// does not exist, something else than logs stands in its way, or another process
  /// writes there.
  LogFiles(std::string path, LogKind kind, std::string config,
           MessageLogLimits limits);

  /// Whether lines can be written. Not when the machine stood in the way at the
  /// beginning (a full disk, a file of another user): `problem` says why.
  [[nodiscard]] bool has_begun() const noexcept;

  /// Writes whole lines. Returns false when that fails, also for want of memory; then nothing
  /// more can be written.
  /// @pre has_begun()
  bool write(std::string_view lines);

  /// "cannot write the message log FILE: " and the reason of what failed last.
  [[nodiscard]] std::string problem() const;

private:
  [[nodiscard]] std::string name(int age) const;

  /// Of FILE until it has its header, where there is another one.
  [[nodiscard]] std::string next_name() const;

  /// Of all files that there may be.
  [[nodiscard]] std::vector<std::string> names() const;
  bool check_what_is_there();
  bool check_writers();
  bool make_present();
  bool open_file(const std::string& name);
  bool write_header();
  bool write_lines(std::string_view lines);
  bool begin_file();
  bool write_all(std::string_view text);

  /// Notes why something cannot be done with a file. Returns false.
  bool fail(int error, const std::string& file);

  /// The same, where the name is wrong.
  bool refuse(std::string reason);

  std::string path_;
  MessageLogLimits limits_;
  LogFileHeader header_;
  std::string config_;
  std::uint64_t next_step_ = 1;

  /// Locked for as long as it is written, where it is a regular file.
  process::UniqueFd file_;
  bool regular_ = false;
  std::uint64_t size_ = 0;

  /// Of the header of the present file.
  std::uint64_t header_size_ = 0;

  std::string reason_;
  bool wrong_name_ = false;
  bool has_begun_ = false;
};

} // namespace stoker
