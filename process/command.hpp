#pragma once

#include <sys/types.h>

#include <string>
#include <variant>

#include "process/control_protocol.hpp"
#include "process/unique_fd.hpp"

namespace stoker::process {

/// Why a program could not be started.
struct StartFailure {
  int error = 0;

  /// It could not enter its working directory.
  bool in_directory = false;
};

/// A program on its way to run. All descriptors are non-blocking.
struct Command {
  pid_t pid = 0;
  /// Ends without data once the program runs; else gives one `StartFailure`.
  UniqueFd status;
  UniqueFd out;
  UniqueFd err;

  /// What is written here it reads; only if the launch says so.
  UniqueFd input;
};

/// Forks the program of a launch: its mark, a session of its own, KILL when this process
/// dies, /dev/null as input unless it has one, no other descriptors, no signals blocked or
/// ignored, the environment exactly as given plus the launch's marker. It joins
/// `cgroup` unless that is empty. Fails with `errno`. Not to be called with
/// more than one thread.
std::variant<Command, int>
fork_command(const Launch& launch, const std::string& cgroup, LaunchMark mark);

/// How the marker of a launch looks in the environment.
std::string marker_of(const std::string& token);

} // namespace stoker::process
