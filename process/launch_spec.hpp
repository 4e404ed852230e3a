#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"

namespace stoker::process {

/// No piece of a program's standard input has more bytes (messages/input.hpp).
inline constexpr std::size_t input_bytes_max = 64 * 1024;

/// What a program's log keeps for readers: all bytes from an absolute offset on,
/// of its standard output and its standard error. Nothing: any byte may give way
/// to a newer one. A log that is full of kept bytes takes no more, so the
/// program waits, as it would for the reader of a pipe.
struct KeptOutput {
  std::optional<std::int64_t> out;
  std::optional<std::int64_t> err;

  /// The logs take nothing while the program runs, as if they were full.
  bool paused = false;

  friend bool operator==(const KeptOutput&, const KeptOutput&) = default;
};

/// What to start, and how. Nothing here passes through a shell.
struct LaunchSpec {
  /// What `ps` shows beside the supervisor and its guard, as "app-1/0".
  std::string title;

  /// The program and its arguments. Without a slash, the program is looked up
  /// on `PATH` of `environment`.
  std::vector<std::string> arguments;

  /// The complete environment of the program. The supervisor adds one variable,
  /// `STOKER_SUPERVISION`, by which strayed descendants are recognised.
  std::map<std::string, std::string> environment;

  /// The supervisor's directory. Created if missing, and closed to others
  /// (0700): holds `control.sock`, `state.json`, `stdout` and `stderr`. Two
  /// running programs never share one.
  std::string directory;

  /// The program's own directory. Created if missing, and closed to others (0700).
  /// Empty: it is `directory`. A program that empties its own directory does not
  /// reach its logs if the two differ.
  std::string program_directory;

  /// What is in the program's own directory before it starts: texts by the names of
  /// files.
  std::map<std::string, std::string> files;

  /// Where the program starts. If empty or missing on this machine it starts
  /// in its own directory; a missing one leaves a note in `stderr`.
  std::string working_directory;

  /// It does not start elsewhere.
  bool working_directory_required = false;

  /// How long the program lives on without a worker.
  std::chrono::milliseconds orphan_grace{10'000};

  /// How long the program has between TERM and KILL.
  std::chrono::milliseconds kill_grace{5'000};

  /// How long its supervisor may be stopped, as by SIGSTOP, before the guard kills both.
  std::chrono::milliseconds stop_grace{10'000};

  /// The size of one log file, in bytes.
  std::int64_t log_bytes_max = std::int64_t{64} * 1024 * 1024;

  /// How many log files are kept for each of stdout and stderr.
  int log_files = 4;

  /// How many descriptors the program may have (its soft limit). 0: as many as the
  /// worker.
  std::uint64_t open_files_max = 0;

  /// What is kept from the start.
  KeptOutput kept_output;

  /// It is a JVM of Spark's, which exits when it loses its worker: the supervisor
  /// plays that one's part. Arguments that are `{{WORKER_URL}}` become its address.
  bool spark_worker_port = false;

  /// Its standard input is what the monitor writes (`Monitor::write_input`). Else it is
  /// empty.
  bool input = false;

  [[nodiscard]] const std::string& own_directory() const noexcept {
    return program_directory.empty() ? directory : program_directory;
  }
};

/// Says what is wrong with `spec`, without its values.
Status validate(const LaunchSpec& spec);

} // namespace stoker::process
