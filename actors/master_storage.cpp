#include "actors/master_storage.hpp"

#include <csignal>

#include "actors/lock_election.hpp"
#include "storage/sqlite_journal.hpp"

namespace stoker {

namespace {

LeaderElectionActor spawn_election(caf::actor_system& system,
                                   const MasterStorage& storage) {
  switch (storage.election) {
  case ElectionMode::DIRECTORY:
    return system.spawn(lock_election, storage.directory);
  }
  return {};
}

/// Empty: nothing is stored.
JournalFactory make_journal_factory(const MasterStorage& storage) {
  switch (storage.mode) {
  case RecoveryMode::NONE:
    return {};
  case RecoveryMode::SQLITE:
    return [path = journal_file(
                storage.directory)]() -> Result<std::unique_ptr<Journal>> {
      auto opened = SqliteJournal::open(path);
      if (!opened)
        return std::move(opened).error();
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
