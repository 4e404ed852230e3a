#include "storage/sqlite_schema.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include <SQLiteCpp/Transaction.h>

#include "process/unique_fd.hpp"
#include "storage/new_database.hpp"
#include "storage/sqlite_checksum.hpp"
#include "storage/sqlite_errors.hpp"

namespace stoker {

using process::UniqueFd;

namespace {

// Columns that people query stand beside the record, which holds everything as
// JSON. Texts compare by bytes, as keys do in the program.
constexpr const char* version_1 = R"(
CREATE TABLE leader (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  epoch INTEGER NOT NULL,
  master_url TEXT NOT NULL,
  since_ms INTEGER NOT NULL
) STRICT;
INSERT INTO leader VALUES (1, 0, '', 0);
CREATE TABLE configuration (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  record TEXT NOT NULL
) STRICT;
CREATE TABLE counters (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  applications INTEGER NOT NULL,
  drivers INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE TABLE workers (
  id TEXT NOT NULL PRIMARY KEY,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  cores INTEGER NOT NULL,
  memory_mb INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE applications (
  id TEXT NOT NULL PRIMARY KEY,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  name TEXT NOT NULL,
  user TEXT NOT NULL,
  submitted_ms INTEGER NOT NULL,
  started_ms INTEGER,
  ended_ms INTEGER,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE executors (
  app_id TEXT NOT NULL,
  exec_id INTEGER NOT NULL,
  worker_id TEXT NOT NULL,
  host TEXT NOT NULL,
  state TEXT NOT NULL,
  cores INTEGER NOT NULL,
  memory_mb INTEGER NOT NULL,
  launched_ms INTEGER NOT NULL,
  ended_ms INTEGER,
  ending INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (app_id, exec_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE drivers (
  id TEXT NOT NULL PRIMARY KEY,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  name TEXT NOT NULL,
  user TEXT NOT NULL,
  worker_id TEXT,
  host TEXT,
  cores INTEGER NOT NULL,
  memory_mb INTEGER NOT NULL,
  submitted_ms INTEGER NOT NULL,
  ended_ms INTEGER,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE companies (
  name TEXT NOT NULL PRIMARY KEY,
  usage_cores REAL NOT NULL,
  usage_memory_mb REAL NOT NULL,
  usage_at_ms INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE users (
  name TEXT NOT NULL PRIMARY KEY,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)";

// What was said of all instances in the record of their application has a row for
// each. Damaged records stay as they are, for those who look for them.
constexpr const char* version_2 = R"(
CREATE TABLE instances (
  app_id TEXT NOT NULL,
  instance INTEGER NOT NULL,
  done INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (app_id, instance)
) STRICT, WITHOUT ROWID;
INSERT INTO instances
  WITH
    present AS (
      SELECT id, record FROM applications
      WHERE ended_ms IS NULL AND json_valid(record)
    ),
    said AS (
      SELECT present.id, x.value AS instance, 1 AS done, 0 AS failures
      FROM present, json_each(present.record, '$.instances_done') AS x
      UNION ALL
      SELECT present.id, x.key, 0, x.value
      FROM present, json_each(present.record, '$.instance_failures') AS x
      WHERE x.value > 0
    ),
    known AS (
      SELECT id, instance, max(done) AS done, max(failures) AS failures
      FROM said GROUP BY id, instance
    )
  SELECT id, instance, done, failures,
    json_object(
      'app_id', id, 'index', instance,
      'done', json(iif(done, 'true', 'false')), 'failures', failures)
  FROM known;
UPDATE applications
  SET record = json_remove(
    json_set(record, '$.instances_done',
             json_array_length(record, '$.instances_done')),
    '$.instance_failures')
  WHERE json_valid(record)
    AND json_type(record, '$.instances_done') = 'array';
)";

// Each row has a checksum of all of its values, so that a changed byte is noticed.
constexpr const char* version_3 = R"(
ALTER TABLE configuration ADD COLUMN checksum INTEGER;
UPDATE configuration SET checksum = stoker_checksum(one, record);
ALTER TABLE counters ADD COLUMN checksum INTEGER;
UPDATE counters SET checksum = stoker_checksum(one, applications, drivers,
  record);
ALTER TABLE workers ADD COLUMN checksum INTEGER;
UPDATE workers SET checksum = stoker_checksum(id, number, state, host, port,
  cores, memory_mb, record);
ALTER TABLE applications ADD COLUMN checksum INTEGER;
UPDATE applications SET checksum = stoker_checksum(id, number, state, name,
  user, submitted_ms, started_ms, ended_ms, record);
ALTER TABLE instances ADD COLUMN checksum INTEGER;
UPDATE instances SET checksum = stoker_checksum(app_id, instance, done,
  failures, record);
ALTER TABLE executors ADD COLUMN checksum INTEGER;
UPDATE executors SET checksum = stoker_checksum(app_id, exec_id, worker_id,
  host, state, cores, memory_mb, launched_ms, ended_ms, ending, record);
ALTER TABLE drivers ADD COLUMN checksum INTEGER;
UPDATE drivers SET checksum = stoker_checksum(id, number, state, name, user,
  worker_id, host, cores, memory_mb, submitted_ms, ended_ms, record);
ALTER TABLE companies ADD COLUMN checksum INTEGER;
UPDATE companies SET checksum = stoker_checksum(name, usage_cores,
  usage_memory_mb, usage_at_ms, record);
ALTER TABLE users ADD COLUMN checksum INTEGER;
UPDATE users SET checksum = stoker_checksum(name, record);
)";

void set_pragma(SQLite::Database& database, const char* name,
                std::size_t value) {
  database.exec("PRAGMA " + std::string{name} + " = " + std::to_string(value));
}

/// Steps from one version on, within a transaction.
void take_steps(SQLite::Database& database, const SchemaSteps& steps,
                std::size_t from) {
  for (auto i = from; i < steps.size(); ++i)
    database.exec(steps[i]);
  set_pragma(database, "user_version", steps.size());
}

StoreFailure newer(const std::string& path, std::int64_t version,
                   const SchemaSteps& steps) {
  return {{Errc::too_new, path + ": is of version " + std::to_string(version)
                              + ", and this program reads up to version "
                              + std::to_string(steps.size())
                              + "; nothing was changed: use a newer one"}};
}

/// Numbers in SQLite's header have their highest byte first.
std::int32_t number_at(std::string_view header, std::size_t position) {
  std::uint32_t result = 0;
  for (auto c : header.substr(position, 4))
    result = (result << 8U) | static_cast<unsigned char>(c);
  return static_cast<std::int32_t>(result);
}

} // namespace

const SchemaSteps& schema_steps() {
  static const SchemaSteps steps{version_1, version_2, version_3};
  return steps;
}

void create_database(const std::string& path, const SchemaSteps& steps,
                     const std::string& before) {
  NewDatabase file{path};
  errno = 0;
  try {
    SQLite::Database database{file.file(), SQLite::OPEN_READWRITE};
    add_checksum_function(database);
    database.exec("PRAGMA synchronous = FULL");
    database.exec(before);
    SQLite::Transaction transaction{database};
    set_pragma(database, "application_id", sqlite_application_id);
    take_steps(database, steps, 0);
    transaction.commit();
    // After the first transaction, so that the header has our mark from the
    // start and not only the log.
    database.exec("PRAGMA journal_mode = WAL");
  } catch (const SQLite::Exception& e) {
    throw StoreFailure{to_error(e, path, errno)};
  }
  file.publish();
}

void check_header(const std::string& path, const SchemaSteps& steps) {
  UniqueFd file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file)
    throw StoreFailure{system_failure(path, errno)};
  std::array<char, 100> bytes{};
  auto size = read(file.get(), bytes.data(), bytes.size());
  if (size < 0)
    throw StoreFailure{system_failure(path, errno)};
  std::string_view header{bytes.data(), static_cast<std::size_t>(size)};
  using namespace std::string_view_literals;
  if (size < 100 || !header.starts_with("SQLite format 3\0"sv))
    throw StoreFailure{corrupt_store(path, "is not a database of SQLite")};
  if (number_at(header, 68) != sqlite_application_id)
    throw StoreFailure{corrupt_store(path, "is a database of another program")};
  auto version = number_at(header, 60);
  if (version > static_cast<std::int64_t>(steps.size()))
    throw newer(path, version, steps);
}

int check_version(SQLite::Database& database, const std::string& path,
                  const SchemaSteps& steps) {
  int version = database.execAndGet("PRAGMA user_version");
  if (version > static_cast<std::int64_t>(steps.size()))
    throw newer(path, version, steps);
  if (version < 1)
    throw StoreFailure{corrupt_store(path, "has no version")};
  return version;
}

void migrate(SQLite::Database& database, const std::string& path,
             const SchemaSteps& steps) {
  if (check_version(database, path, steps) == static_cast<int>(steps.size()))
    return;
  SQLite::Transaction transaction{database,
                                  SQLite::TransactionBehavior::IMMEDIATE};
  // Another may have been faster.
  auto version = check_version(database, path, steps);
  take_steps(database, steps, static_cast<std::size_t>(version));
  transaction.commit();
}

} // namespace stoker
