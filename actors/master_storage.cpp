#include "actors/master_storage.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>

#include "actors/lock_election.hpp"
#include "storage/sqlite_journal.hpp"

namespace stoker {

namespace {

/// A history that is not written to a file takes no more.
constexpr std::int64_t history_in_memory_max = std::int64_t{64} << 20;

LeaderElectionActor spawn_election(caf::actor_system& system,
                                   const MasterStorage& storage) {
  switch (storage.election) {
  case ElectionMode::DIRECTORY:
    return system.spawn(lock_election,
                        LockElectionConfig{storage.directory,
                                           storage.durable()
                                               ? journal_file(storage.directory)
                                               : std::string{},
                                           storage.leader_timeout});
  }
  return {};
}

/// Empty: nothing is stored. What has been there once is never made anew: that
/// would be a cluster that has forgotten all.
JournalFactory make_journal_factory(const MasterStorage& storage) {
  switch (storage.mode) {
  case RecoveryMode::NONE:
    return {};
  case RecoveryMode::SQLITE:
    return [path = journal_file(storage.directory),
            was_there = false]() mutable -> Result<std::unique_ptr<Journal>> {
      was_there |= std::filesystem::exists(path);
      auto opened = SqliteJournal::open(
          path, was_there ? SqliteJournal::Missing::refuse
                          : SqliteJournal::Missing::create);
      if (!opened)
        return std::move(opened).error();
      was_there = true;
      return *std::move(opened);
    };
  }
  return {};
}

} // namespace

Status validate(const MasterStorage& storage) {
  if (storage.directory.empty())
    return {};
  auto opened = DataDirectory::open(storage.directory);
  if (!opened)
    return std::move(opened).error();
  auto open_journal = make_journal_factory(storage);
  if (!open_journal)
    return {};
  if (auto journal = open_journal(); !journal)
    return std::move(journal).error();
  return {};
}

void start_history(caf::actor_system& system, const MasterStorage& storage,
                   MasterServices& services) {
  if (!storage.keeps_history)
    return;
  HistoryConfig config{services.feed, {}, storage.history, true};
  if (storage.durable())
    config.path = history_file(storage.directory);
  else
    config.limits.bytes = std::min(config.limits.bytes, history_in_memory_max);
  services.history = system.spawn<caf::detached>(history, std::move(config));
}

void start_files(caf::actor_system& system, const MasterStorage& storage,
                 MasterServices& services) {
  FileStoreConfig config;
  if (!storage.directory.empty())
    config.directory = storage.directory + "/files";
  config.limits = storage.files;
  services.files = system.spawn<caf::detached>(files, std::move(config));
}

void start_storage(caf::actor_system& system, const MasterStorage& storage,
                   MasterServices& services) {
  if (storage.directory.empty())
    return;
  // A store that may not grow is an error like any other; the signal would end
  // the master.
  std::signal(SIGXFSZ, SIG_IGN);
  services.election = spawn_election(system, storage);
  if (auto open_journal = make_journal_factory(storage))
    services.journal
        = system.spawn<caf::detached>(journal, std::move(open_journal));
}

} // namespace stoker
