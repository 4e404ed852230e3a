#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

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
    return *SqliteJournal::open(file());
  }
  [[nodiscard]] std::string file() const {
    return journal_file(directory.path("."));
  }
  TemporaryDirectory directory;
};

/// Why it failed, which it must have.
template <class T>
Error error_of(const Result<T>& x) {
  if (x)
    throw std::logic_error{"it has not failed"};
  return x.error();
}

/// What opening a file and leading on it comes to.
inline Result<Leadership> open_and_lead(const std::string& file) {
  auto journal = SqliteJournal::open(file);
  if (!journal)
    return std::move(journal).error();
  return (*journal)->lead("a", 1);
}

/// What the next leader would find.
template <class Place>
StoredState stored_in(Place& place) {
  return place.open()->lead("next", 0)->stored;
}

/// A change about one of few records, all of whose fields are filled.
Change random_change(Random& random);

} // namespace stoker::test
