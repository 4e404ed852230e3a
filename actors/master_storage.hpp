#pragma once

#include <optional>
#include <string>

#include <caf/actor_system.hpp>

#include "actors/master.hpp"
#include "messages/describe.hpp"

namespace stoker {

/// What outlives a master [spark.deploy.recoveryMode]. NONE: nothing, its
/// applications and drivers end with it. SQLITE: all that it has acknowledged.
enum class RecoveryMode { NONE, SQLITE };
BOOST_DESCRIBE_ENUM(RecoveryMode, NONE, SQLITE)

/// Where a master keeps what outlives it.
struct MasterStorage {
  RecoveryMode mode = RecoveryMode::SQLITE;

  /// Masters that share it elect one of them. Empty: an embedded master that
  /// stores nothing and shares nothing.
  std::string directory;

  [[nodiscard]] bool durable() const noexcept {
    return mode != RecoveryMode::NONE && !directory.empty();
  }
};

/// Finds out early what would keep a master from ever leading: a directory that
/// cannot be used, a store that cannot be read. `in_use`: another master leads
/// from there, so this one can only stand by.
std::optional<DataDirectory::Problem>
problem_with_storage(const MasterStorage& storage);

/// Starts what elects a master and stores for it.
void start_storage(caf::actor_system& system, const MasterStorage& storage,
                   MasterServices& services);

} // namespace stoker
