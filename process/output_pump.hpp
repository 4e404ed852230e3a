#pragma once

#include <cstddef>
#include <cstdint>
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

  /// What to wait for, -1 if nothing comes any more.
  [[nodiscard]] int descriptor() const noexcept;

  /// Carries some of what is in the pipe. Never blocks.
  void pump();

  /// Carries what is left, once all writers are dead, and closes the log.
  void finish();

private:
  void pump(std::size_t bytes_max);

  LogWriter log_;
  UniqueFd pipe_;
};

} // namespace stoker::process
