#pragma once

#include <string>
#include <vector>

#include "embedding/resource_discovery.hpp"
#include "messages/result.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

/// Keeps the addresses of a resources file for one worker of the machine. The locks end when
/// this object and all copies that forked processes have of it are closed.
struct ResourcesLock {
  /// Files that only this user can lock, and the resources file itself, for workers of other
  /// users. The names of the former stand for the path of the resources file, so they also
  /// count after that was replaced.
  std::vector<process::UniqueFd> held;

  /// Why the resources file could not be locked for other users. Empty: it is locked, or
  /// its file system knows no locks.
  std::string warning;
};

/// Locks the resources file. A lock of another user does not count if the file belongs to this
/// worker's user: otherwise each user who can read the file could keep the worker from
/// starting.
/// @param work_directory The worker's, which the message to another worker names
/// @param state_directory Of this user on this machine; where it cannot be made, only the
/// resources file itself is locked
/// @return the locks; empty without a file, or if nothing of it is offered
/// @return an error with the holder if another worker has the file, or if it cannot be read
Result<ResourcesLock> lock_resources_file(const ResourceDiscovery& plan,
                                          const std::string& work_directory,
                                          const std::string& state_directory);

} // namespace stoker
