#pragma once

// Reading message logs: storage/message_log_format.hpp has the format of a master's,
// storage/task_log_format.hpp that of a task scheduler's.

#include <cstdint>
#include <fstream>
#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "scheduling/common/instant.hpp"
#include "storage/message_log_format.hpp"
#include "storage/task_log_format.hpp"

namespace stoker {

/// The files of the log that `path` belongs to, those of the same series beside
/// it, oldest first, as far as they follow each other.
/// @throws std::runtime_error with one line when `path` cannot be read or is no
/// log.
std::vector<std::string> message_log_files(const std::string& path);

/// Whose log a file belongs to. Fails with `Errc::unreadable` where the files cannot be read.
Result<LogKind> log_kind(const std::string& path);

/// What `read` returns; or, with `Errc::unreadable`, why a log cannot be read.
template <class Read>
auto if_readable(const Read& read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const std::runtime_error& e) {
    return Error{Errc::unreadable, e.what()};
  }
}

/// Reads a log, step by step. A last line that was cut off is no error.
/// @tparam Format MasterLog or TaskLog
template <class Format>
class LogReader {
public:
  /// One file of a log.
  /// @throws std::runtime_error when `in` does not begin as a log of a known
  /// version.
  explicit LogReader(std::istream& in);

  /// Some files, one after the other. Later ones that do not follow the first
  /// are an error when they are reached.
  /// @throws std::runtime_error the same, and when the first cannot be read.
  explicit LogReader(std::vector<std::string> files);

  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  /// Of the file that is being read.
  [[nodiscard]] const LogHeader<Format>& header() const noexcept {
    return header_;
  }

  [[nodiscard]] const typename Format::Config& config() const noexcept {
    return header_.config;
  }

  /// Nothing at the end.
  /// @throws std::runtime_error with file and line's number when a line before
  /// the last is damaged, or a file does not follow the one before it.
  std::optional<typename Format::Step> next();

private:
  void begin();
  bool begin_next_file();

  /// "FILE: ", where files are read.
  [[nodiscard]] std::string prefix() const;

  std::vector<std::string> files_;
  std::size_t next_file_ = 0;
  std::ifstream file_;
  std::istream* in_;
  LogHeader<Format> header_;
  std::size_t line_number_ = 0;
  std::uint64_t next_step_ = 1;
  Instant last_at_ = Instant::min();
};

extern template class LogReader<MasterLog>;
extern template class LogReader<TaskLog>;

using MessageLogReader = LogReader<MasterLog>;
using TaskLogReader = LogReader<TaskLog>;

} // namespace stoker
