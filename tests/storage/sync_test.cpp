// What the SQLite journal has committed was given to the disk: a kill shows
// nothing of that, since the system's memory outlives it; only a loss of power
// would. So synchronisations are counted.

#include <sqlite3.h>

#include "tests/storage/journals.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// Synchronisations of logs (files that end in -wal) so far.
int log_syncs = 0;

/// The file system, which counts: stands before the default one while it lives.
class CountingFileSystem {
public:
  CountingFileSystem() {
    real = sqlite3_vfs_find(nullptr);
    REQUIRE(real != nullptr);
    counting = *real;
    counting.zName = "counting";
    counting.pNext = nullptr;
    counting.xOpen = open;
    REQUIRE(sqlite3_vfs_register(&counting, 1) == SQLITE_OK);
  }

  ~CountingFileSystem() {
    sqlite3_vfs_unregister(&counting);
    sqlite3_vfs_register(real, 1);
  }

  CountingFileSystem(const CountingFileSystem&) = delete;
  CountingFileSystem& operator=(const CountingFileSystem&) = delete;

private:
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags,
                  int* flags_out) {
    auto result = real->xOpen(real, name, file, flags, flags_out);
    if (file->pMethods == nullptr || (flags & SQLITE_OPEN_WAL) == 0)
      return result;
    methods = file->pMethods;
    counting_methods = *methods;
    counting_methods.xSync = sync;
    file->pMethods = &counting_methods;
    return result;
  }

  static int sync(sqlite3_file* file, int flags) {
    ++log_syncs;
    return methods->xSync(file, flags);
  }

  static inline sqlite3_vfs* real = nullptr;
  static inline sqlite3_vfs counting{};

  /// Of logs: the file system has one kind.
  static inline const sqlite3_io_methods* methods = nullptr;
  static inline sqlite3_io_methods counting_methods{};
};

} // namespace

TEST_CASE("every commit is given to the disk before it is done", "[storage]") {
  CountingFileSystem files;
  SqlitePlace place;
  auto journal = place.open();
  auto before = log_syncs;
  REQUIRE(journal->lead("a", 1));
  CHECK(log_syncs > before);
  // So many that the log is begun anew in between.
  for (int i = 0; i < 500; ++i) {
    before = log_syncs;
    REQUIRE(journal->commit({StoredUser{"user " + std::to_string(i)}}));
    REQUIRE(log_syncs > before);
  }
}
