#pragma once

#include <string>

#include "messages/result.hpp"
#include "process/process_tree.hpp"
#include "process/unique_fd.hpp"

namespace stoker::process {

/// A guard process that was just started.
struct Launched {
  /// A pidfd. The process is a child of this one.
  UniqueFd guard;
  ProcessId id;
  /// Carries the control protocol, the `Launch` first. Non-blocking.
  UniqueFd connection;
};

/// Starts `<executable> supervise`. Fails if it cannot be executed. May be called
/// from any thread.
Result<Launched> launch_supervisor(const std::string& executable);

/// Makes sure that a program's directory exists, is closed to others, and can
/// be written.
Status prepare_directory(const std::string& path);

/// A token that no launch had before: 128 random bits.
std::string make_token();

} // namespace stoker::process
