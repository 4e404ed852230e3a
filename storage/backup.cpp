#include "storage/backup.hpp"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include "process/private_directory.hpp"
#include "storage/history_schema.hpp"
#include "storage/history_store.hpp"
#include "storage/new_database.hpp"
#include "storage/sqlite_errors.hpp"
#include "storage/sqlite_journal.hpp"
#include "storage/sqlite_schema.hpp"
#include "storage/sqlite_snapshot.hpp"

namespace stoker {

namespace {

namespace fs = std::filesystem;

struct DatabaseCopy {
  std::string from;
  std::string to;
  const SchemaSteps& steps;
};

bool file_is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

StoreFailure is_taken(const std::string& path) {
  return {{Errc::io, path
                         + " exists already; nothing was written: name another "
                           "directory"}};
}

void copy_pages(SQLite::Database& from, const NewDatabase& file,
                const std::string& to) {
  errno = 0;
  try {
    SQLite::Database database{file.file(), SQLite::OPEN_READWRITE};
    database.exec("PRAGMA synchronous = FULL");
    SQLite::Backup{database, from}.executeStep();
  } catch (const SQLite::Exception& e) {
    throw StoreFailure{to_error(e, to, errno)};
  }
}

/// Copies it whole, or not at all.
void copy(const DatabaseCopy& x) {
  // Also where the file is not there.
  check_header(x.from, x.steps);
  NewDatabase file{x.to};
  auto done = catch_store_failures(x.from, [&] {
    return read_snapshot(x.from, [&](SQLite::Database& database) {
      copy_pages(database, file, x.to);
      return true;
    });
  });
  if (!done)
    throw StoreFailure{std::move(done).error()};
  if (!file.publish())
    throw is_taken(x.to);
}

} // namespace

Result<Backup> back_up(const std::string& data_directory,
                       const std::string& directory) {
  if (directory.empty())
    return invalid("the directory of a backup needs a name");
  const DatabaseCopy store{journal_file(data_directory),
                           journal_file(directory), schema_steps()};
  const DatabaseCopy history{history_file(data_directory),
                             history_file(directory), history_schema_steps()};
  return catch_store_failures(directory, [&] {
    // Nothing is made for a wrong name.
    check_header(store.from, store.steps);
    for (const auto* x : {&store, &history})
      if (file_is_there(x->to))
        throw is_taken(x->to);
    if (auto failed = process::make_private_directories(directory); failed != 0)
      throw StoreFailure{
          {Errc::io, "cannot make the directory " + directory + ": "
                         + std::generic_category().message(failed)}};
    copy(store);
    Backup result{{store.to}, std::nullopt};
    if (!file_is_there(history.from))
      return result;
    try {
      copy(history);
      result.files.push_back(history.to);
    } catch (const StoreFailure& e) {
      result.history_problem = e.error;
    }
    return result;
  });
}

} // namespace stoker
