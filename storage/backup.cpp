#include "storage/backup.hpp"

#include <cerrno>
#include <filesystem>
#include <list>
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

/// @returns the files that were made
std::vector<std::string> copy_all(const std::vector<DatabaseCopy>& copies) {
  std::list<NewDatabase> files;
  for (const auto& x : copies) {
    // Also where the file is not there.
    check_header(x.from, x.steps);
    const auto& file = files.emplace_back(x.to);
    auto done = catch_store_failures(x.from, [&] {
      return read_snapshot(x.from, [&](SQLite::Database& database) {
        copy_pages(database, file, x.to);
        return true;
      });
    });
    if (!done)
      throw StoreFailure{std::move(done).error()};
  }
  std::vector<std::string> result;
  for (auto& x : files) {
    const auto& to = copies[result.size()].to;
    if (!x.publish())
      throw is_taken(to);
    result.push_back(to);
  }
  return result;
}

} // namespace

Result<std::vector<std::string>> back_up(const std::string& data_directory,
                                         const std::string& directory) {
  if (directory.empty())
    return invalid("the directory of a backup needs a name");
  std::vector<DatabaseCopy> copies{
      {journal_file(data_directory), journal_file(directory), schema_steps()}};
  if (auto file = history_file(data_directory); file_is_there(file))
    copies.push_back({file, history_file(directory), history_schema_steps()});
  return catch_store_failures(directory, [&] {
    // Nothing is made for a wrong name.
    check_header(copies.front().from, schema_steps());
    for (const auto& x : copies)
      if (file_is_there(x.to))
        throw is_taken(x.to);
    if (auto failed = process::make_private_directories(directory); failed != 0)
      throw StoreFailure{
          {Errc::io, "cannot make the directory " + directory + ": "
                         + std::generic_category().message(failed)}};
    return copy_all(copies);
  });
}

} // namespace stoker
