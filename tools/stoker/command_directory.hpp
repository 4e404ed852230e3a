#pragma once

#include <string>

#include "messages/result.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

/// The data directory of a cluster that is there for one command only. As long as
/// this object lives, no other such cluster chooses the same.
struct CommandDirectory {
  std::string path;
  process::UniqueFd lock;
};

/// `preferred`, or the first of `preferred/local-2`, `preferred/local-3` and so on
/// if that is in use. Fails with `Errc::io` when none can be made.
Result<CommandDirectory> choose_command_directory(const std::string& preferred);

} // namespace stoker
