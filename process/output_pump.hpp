#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "process/output_files.hpp"
#include "process/unique_fd.hpp"

namespace stoker::process {

/// Carries one output stream of a program from its pipe to its log.
class OutputPump {
public:
  /// See `LogWriter`.
  OutputPump(int directory, std::string log, std::int64_t bytes_max,
             int files_max);

  /// Has to succeed before the rest is used. Returns 0 or `errno`.
  int open_log();

  /// Reads from now on from a non-blocking pipe.
  void attach(UniqueFd pipe);

  /// See `LogWriter`.
  void keep_from(std::optional<std::int64_t> offset);

  /// Whether nothing is read from the pipe but by `drain`.
  void pause(bool paused) noexcept {
    paused_ = paused;
  }

  /// What to wait for; -1 if nothing comes, or if the log takes nothing now.
  [[nodiscard]] int descriptor() const noexcept;

  /// Carries some of what is in the pipe. Never blocks.
  void pump();

  /// Carries what is left, once all writers are dead. The log takes it however
  /// full it is; if the disk does not, this is to be called again.
  void drain();

  /// Whether nothing is left to carry.
  [[nodiscard]] bool is_empty() const noexcept {
    return !pipe_ && pending_.empty();
  }

  /// Drops what is left, and closes the log.
  void close();

  /// All bytes that came, also those that were dropped.
  [[nodiscard]] std::int64_t received() const noexcept {
    return received_;
  }

  [[nodiscard]] const LogWriter& log() const noexcept {
    return log_;
  }

private:
  void read(std::size_t bytes_max, LogWriter::Limit limit);
  void write_pending(LogWriter::Limit limit);

  LogWriter log_;
  UniqueFd pipe_;
  bool paused_ = false;
  std::int64_t received_ = 0;

  /// Read, but not taken by the log yet.
  std::string pending_;
};

} // namespace stoker::process
