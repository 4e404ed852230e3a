#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

#include "messages/result.hpp"

namespace stoker::executor {

/// The program ended by itself, and all its output was taken.
struct Exited {
  int code = 0;
  friend bool operator==(const Exited&, const Exited&) = default;
};

/// A signal ended the program, which nobody here had sent.
struct Signalled {
  int signal = 0;
  friend bool operator==(const Signalled&, const Signalled&) = default;
};

/// There is no process.
struct CouldNotStart {
  /// An `errno` value.
  int error = 0;
  /// The program; or the working directory, which could not be entered.
  std::string path;
  bool in_directory = false;
  friend bool operator==(const CouldNotStart&, const CouldNotStart&) = default;
};

/// It was killed before it ended by itself, or before it was started.
struct Killed {
  std::string reason;
  friend bool operator==(const Killed&, const Killed&) = default;
};

/// The program was ended, for its input failed.
struct InputFailed {
  Error error;
  friend bool operator==(const InputFailed&, const InputFailed&) = default;
};

/// The program was ended, or its end does not count, for its output was not taken.
struct OutputFailed {
  Error error;
  friend bool operator==(const OutputFailed&, const OutputFailed&) = default;
};

using TaskOutcome = std::variant<Exited, Signalled, CouldNotStart, Killed,
                                 InputFailed, OutputFailed>;

/// What became of a task. Nothing that it started is left.
struct TaskEnd {
  TaskOutcome outcome;

  /// The end of its standard error; of more than is kept, whole lines, if there are
  /// any.
  std::string last_errors;

  /// Of standard input given and standard output taken.
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;

  /// From the start of the program to the end of all that it left.
  std::chrono::milliseconds duration{0};

  // Of the program, and the children for which it waited.
  std::int64_t cpu_ms = 0;
  std::int64_t peak_memory_mb = 0;
};

/// Whether it ended with 0, and its output was taken.
bool succeeded(const TaskEnd& end);

/// One line for people, as "exited with 3".
std::string to_string(const TaskOutcome& outcome);

} // namespace stoker::executor
