#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <variant>

#include "executor/task_program.hpp"
#include "process/unique_fd.hpp"

namespace stoker::executor {

/// What a program has as standard input, output and error.
struct ProgramDescriptors {
  int in = -1;
  int out = -1;
  int err = -1;
};

/// A program that runs.
struct StartedProgram {
  pid_t pid = 0;
  /// A pidfd, which becomes readable when it exits.
  process::UniqueFd process;
  /// Why it could not enter its working directory and runs elsewhere, an `errno`
  /// value. 0: it could.
  int directory_error = 0;
};

/// Why there is no program.
struct StartFailure {
  /// An `errno` value.
  int error = 0;
  /// It could not enter its working directory.
  bool in_directory = false;
};

/// Starts programs from one thread. A program gets a session of its own, KILL when this
/// thread ends, no other descriptors, no signals blocked or ignored, and the environment
/// exactly as given and the marker. The thread waits until the program runs, and its
/// memory is not copied.
class ProgramStarter {
public:
  ProgramStarter();

  /// All signals have to be blocked on this thread.
  /// @pre `program` is valid
  /// @param marker A variable of the environment, as "NAME=value".
  std::variant<StartedProgram, StartFailure>
  start(const TaskProgram& program, const std::string& marker,
        const ProgramDescriptors& descriptors);

private:
  static constexpr std::size_t stack_bytes = std::size_t{64} * 1024;

  /// Of the child, until it executes the program.
  std::unique_ptr<char[]> stack_;
};

} // namespace stoker::executor
