#pragma once

#include <string>

#include <caf/actor_system.hpp>

#include "actors/master.hpp"
#include "messages/describe.hpp"
#include "messages/instant.hpp"
#include "messages/result.hpp"

namespace stoker {

/// What outlives a master [spark.deploy.recoveryMode]. NONE: nothing, its
/// applications and drivers end with it. SQLITE: all that it has acknowledged.
enum class RecoveryMode { NONE, SQLITE };
BOOST_DESCRIBE_ENUM(RecoveryMode, NONE, SQLITE)

/// How masters elect the one that leads. DIRECTORY: those that share a data
/// directory, by its lock.
enum class ElectionMode { DIRECTORY };
BOOST_DESCRIBE_ENUM(ElectionMode, DIRECTORY)

/// Where a master keeps what outlives it, and how it comes to lead.
struct MasterStorage {
  RecoveryMode mode = RecoveryMode::SQLITE;
  ElectionMode election = ElectionMode::DIRECTORY;

  /// Empty: an embedded master that stores nothing and shares nothing.
  std::string directory;

  /// A leader that has shown no sign of life for so long is replaced by one that
  /// stands by [stoker.leader.timeout].
  Duration leader_timeout = std::chrono::seconds{12};

  /// Whether what has ended is kept for people beyond what the master itself keeps
  /// [stoker.history.enabled]. The programs have it on. It needs a feed.
  bool keeps_history = false;
  HistoryLimits history;

  /// How many files go with commands. They are in the directory, or in a temporary one.
  FileLimits files;

  [[nodiscard]] bool durable() const noexcept {
    return mode != RecoveryMode::NONE && !directory.empty();
  }
};

/// Finds out early what would keep a master from ever leading: a directory that
/// cannot be used, a store that cannot be read. `Errc::in_use`: another master
/// leads from there, so this one can only stand by.
Status validate(const MasterStorage& storage);

/// Starts what keeps the history of a master, if it is to be kept: in a file of the
/// directory, or in memory where nothing is stored.
/// @pre services.feed, if it is to be kept
void start_history(caf::actor_system& system, const MasterStorage& storage,
                   MasterServices& services);

/// Starts what keeps files that go with commands.
void start_files(caf::actor_system& system, const MasterStorage& storage,
                 MasterServices& services);

/// Starts what elects a master and stores for it. A new kind of store or of
/// election has its place here.
void start_storage(caf::actor_system& system, const MasterStorage& storage,
                   MasterServices& services);

} // namespace stoker
