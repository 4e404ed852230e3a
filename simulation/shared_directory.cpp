#include "simulation/shared_directory.hpp"

namespace stoker::simulation {

SharedDirectory::SharedDirectory()
    : store_(std::make_shared<MemoryStore>([this] { return check(); })) {
}

JournalFactory SharedDirectory::journal_factory() const {
  return [store = store_]() -> Result<std::unique_ptr<Journal>> {
    return std::make_unique<MemoryJournal>(store);
  };
}

Status SharedDirectory::check() const {
  if (fault)
    return Error{*fault, "the simulated disk fails"};
  return {};
}

} // namespace stoker::simulation
