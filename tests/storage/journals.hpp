#pragma once

#include <memory>
#include <string>

#include "storage/memory_journal.hpp"
#include "storage/sqlite_journal.hpp"
#include "tests/support/fill.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stoker::test {

/// A place that any number of journals can be opened on, of either kind.
struct MemoryPlace {
  std::unique_ptr<Journal> open() {
    return std::make_unique<MemoryJournal>(store);
  }
  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
};

struct SqlitePlace {
  std::unique_ptr<Journal> open() {
    return SqliteJournal::open(file());
  }
  [[nodiscard]] std::string file() const {
    return journal_file(directory.path("."));
  }
  TemporaryDirectory directory;
};

/// The fault of the JournalError that `f` throws.
template <class F>
JournalError error_of(F&& f) {
  try {
    f();
  } catch (const JournalError& e) {
    return e;
  }
  throw std::logic_error{"nothing was thrown"};
}

/// What the next leader would find.
template <class Place>
StoredState stored_in(Place& place) {
  return place.open()->lead("next", 0).stored;
}

/// A change about one of few records, all of whose fields are filled.
Change random_change(Random& random);

} // namespace stoker::test
