#include "actors/master_storage.hpp"

#include <csignal>

#include "storage/sqlite_journal.hpp"

namespace stoker {

std::optional<DataDirectory::Problem>
problem_with_storage(const MasterStorage& storage) {
  if (storage.directory.empty())
    return std::nullopt;
  auto opened = DataDirectory::open(storage.directory);
  if (auto* problem = std::get_if<DataDirectory::Problem>(&opened))
    return *problem;
  if (!storage.durable())
    return std::nullopt;
  try {
    SqliteJournal::open(journal_file(storage.directory));
  } catch (const JournalError& e) {
    return DataDirectory::Problem{e.what()};
  }
  return std::nullopt;
}

void start_storage(caf::actor_system& system, const MasterStorage& storage,
                   MasterServices& services) {
  if (storage.directory.empty())
    return;
  // A store that may not grow is an error like any other; the signal would end
  // the master.
  std::signal(SIGXFSZ, SIG_IGN);
  services.election = system.spawn(leader_election, storage.directory);
  if (storage.durable())
    services.journal = system.spawn<caf::detached>(
        journal, [path = journal_file(storage.directory)] {
          return std::unique_ptr<Journal>{SqliteJournal::open(path)};
        });
}

} // namespace stoker
