// Files that are not what they should be: a clear error, and nothing changed.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <SQLiteCpp/Database.h>

#include "storage/sqlite_errors.hpp"
#include "storage/sqlite_schema.hpp"
#include "storage/stored_view.hpp"
#include "tests/storage/journals.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/unprivileged.hpp"

using namespace stoker;
using namespace stoker::test;
namespace fs = std::filesystem;

namespace {

std::string read(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void write(const std::string& path, const std::string& content) {
  std::ofstream{path, std::ios::binary} << content;
}

/// Runs SQL in a file, as somebody with a shell would.
void run_sql(const std::string& file, const std::string& sql) {
  SQLite::Database database{file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
  database.exec(sql);
}

/// What opening it and leading on it says. The file stays as it is.
Error refusal_of(const std::string& file) {
  auto before = read(file);
  auto error = error_of(open_and_lead(file));
  CHECK(read(file) == before);
  CHECK(error.message.starts_with(file + ": "));
  CHECK(error.message.find('\n') == std::string::npos);
  return error;
}

bool contains(const Error& error, const std::string& part) {
  INFO(error.message);
  return error.message.find(part) != std::string::npos;
}

/// A file with records of every kind, closed.
void fill_file(SqlitePlace& place, std::size_t changes = 200) {
  Random random{3};
  auto journal = place.open();
  REQUIRE(journal->lead("stoker://a:7070", 1));
  Changes xs;
  for (; changes > 0; --changes)
    xs.push_back(random_change(random));
  REQUIRE(journal->commit(xs));
}

} // namespace

TEST_CASE("the file and what SQLite puts beside it are private", "[storage]") {
  SqlitePlace place;
  auto old = umask(0);
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  umask(old);
  for (const auto* suffix : {"", "-wal", "-shm"})
    CHECK(mode_of(place.file() + suffix) == 0600);
}

TEST_CASE("nothing but the file is left when its journal ends", "[storage]") {
  SqlitePlace place;
  fill_file(place);
  auto path = place.directory.path(".");
  CHECK(std::distance(fs::directory_iterator{path}, {}) == 1);
}

TEST_CASE("a file that is no database is refused", "[storage]") {
  SqlitePlace place;
  auto content = GENERATE(as<std::string>{}, "", "x", "SQLite format 3",
                          std::string(5000, 'x'), std::string(5000, '\0'));
  write(place.file(), content);
  auto error = refusal_of(place.file());
  CHECK(error.code == Errc::corrupt);
  CHECK(contains(error, "is not a database of SQLite"));
  CHECK(contains(error, "stoker data check"));
}

TEST_CASE("another program's database is refused", "[storage]") {
  SqlitePlace place;
  run_sql(place.file(),
          GENERATE("CREATE TABLE workers (id)", "PRAGMA journal_mode = WAL; "
                                                "PRAGMA application_id = 7; "
                                                "CREATE TABLE workers (id)"));
  auto error = refusal_of(place.file());
  CHECK(error.code == Errc::corrupt);
  CHECK(contains(error, "of another program"));
}

TEST_CASE("a newer version is refused, with both versions", "[storage]") {
  SqlitePlace place;
  fill_file(place);
  run_sql(place.file(), "PRAGMA user_version = 77");
  auto error = refusal_of(place.file());
  CHECK(error.code == Errc::too_new);
  CHECK(contains(error, "is of version 77, and this program reads up to "
                        "version "
                            + std::to_string(schema_steps().size())));
  CHECK(view_stored(place.file()).code() == Errc::too_new);
}

TEST_CASE("a newer version that stands in the log alone is refused as well",
          "[storage]") {
  SqlitePlace place;
  fill_file(place);
  SQLite::Database newer{place.file(), SQLite::OPEN_READWRITE};
  newer.exec("PRAGMA user_version = 77");
  auto log = read(place.file() + "-wal");
  CHECK(refusal_of(place.file()).code == Errc::too_new);
  CHECK(read(place.file() + "-wal") == log);
}

TEST_CASE("a directory that is not there or takes no files is an I/O error",
          "[storage]") {
  TemporaryDirectory directory;
  auto path = GENERATE_REF(as<std::string>{}, directory.path("no/stoker.db"),
                           "/proc/stoker.db");
  auto error = error_of(SqliteJournal::open(path));
  CHECK(error.code == Errc::io);
  CHECK(contains(error, path + ": cannot be read or written: No such file"));
}

TEST_CASE("a file that may not be read is an I/O error", "[storage]") {
  SqlitePlace place;
  fill_file(place);
  auto mode = GENERATE(fs::perms::none, fs::perms::owner_read);
  Unprivileged user{place.directory.path(".")};
  fs::permissions(place.file(), mode);
  CHECK(open_and_lead(place.file()).code() == Errc::io);
}

TEST_CASE("a record that cannot be read is named, and stays", "[storage]") {
  SqlitePlace place;
  {
    auto journal = place.open();
    REQUIRE(journal->lead("a", 1));
    StoredWorker worker;
    worker.id = {"worker-1"};
    worker.host = "host";
    REQUIRE(journal->commit({worker, StoredUser{"eva"}}));
  }
  struct Case {
    const char* sql;
    const char* finding;
  };
  auto [sql, finding] = GENERATE(values<Case>({
      {"UPDATE users SET record = '{'", "users 'eva': the value: is no JSON"},
      {"UPDATE users SET record = replace(record, '0', '\"many\"')",
       "users 'eva': selected: expected a whole number that fits"},
      {"UPDATE workers SET record = replace(record, 'ALIVE', 'AWAKE')",
       "workers 'worker-1': state: not one of the known names"},
      {"UPDATE workers SET cores = 8",
       "workers 'worker-1': the value: says something else than its columns"},
      {"UPDATE workers SET id = 'worker-2'",
       "workers 'worker-2': the value: says something else than its columns"},
      // Still JSON, and in agreement with the columns.
      {"UPDATE workers SET record = replace(record, '\"number\"', "
       "'\"numbeR\"')",
       "workers 'worker-1': the value: is not what was stored: its checksum is "
       "another"},
      {"UPDATE users SET record = record || ' '",
       "users 'eva': the value: is not what was stored: its checksum is "
       "another"},
      {"UPDATE workers SET checksum = checksum + 1",
       "workers 'worker-1': the value: is not what was stored: its checksum is "
       "another"},
      {"DELETE FROM leader", "leader: the record is missing"},
  }));
  INFO(sql);
  run_sql(place.file(), sql);
  CHECK(*check_stored(place.file()) == std::vector<std::string>{finding});
  auto error = refusal_of(place.file());
  CHECK(error.code == Errc::corrupt);
  CHECK(contains(error, "stoker data check " + place.directory.path(".")));
  // What can be read is shown all the same.
  CHECK(view_stored(place.file())->unreadable.size() == 1);
}

TEST_CASE("a record without a checksum is not checked", "[storage]") {
  SqlitePlace place;
  {
    auto journal = place.open();
    REQUIRE(journal->lead("a", 1));
    REQUIRE(journal->commit({StoredUser{"eva"}}));
  }
  run_sql(place.file(),
          "UPDATE users SET record = record || ' ', checksum = NULL");
  CHECK(check_stored(place.file())->empty());
  CHECK(open_and_lead(place.file()));
}

TEST_CASE("records of an older version get checksums", "[storage]") {
  SqlitePlace place;
  auto old = schema_steps();
  old.resize(2);
  create_database(place.file(), old);
  run_sql(place.file(),
          "INSERT INTO users VALUES ('eva', '{\"name\":\"eva\"}')");
  REQUIRE(open_and_lead(place.file()));
  CHECK(check_stored(place.file())->empty());
  run_sql(place.file(), "UPDATE users SET record = record || ' '");
  CHECK(check_stored(place.file())->size() == 1);
  CHECK(refusal_of(place.file()).code == Errc::corrupt);
}

TEST_CASE("a table that is missing is damage", "[storage]") {
  SqlitePlace place;
  fill_file(place);
  run_sql(place.file(), "DROP TABLE executors");
  auto error = refusal_of(place.file());
  CHECK(error.code == Errc::corrupt);
  CHECK(contains(error, "no such table: executors"));
}

TEST_CASE("pages that were overwritten are damage", "[storage]") {
  SqlitePlace place;
  fill_file(place);
  auto content = read(place.file());
  REQUIRE(content.size() > 10 * 4096);
  // All but the first, which says whose file it is.
  std::fill(content.begin() + 4096, content.end(), '\x5a');
  write(place.file(), content);
  auto error = refusal_of(place.file());
  CHECK(error.code == Errc::corrupt);
  CHECK(contains(error, "database disk image is malformed"));
  CHECK(contains(error, "stoker data check"));
  auto checked = error_of(check_stored(place.file()));
  CHECK(checked.code == Errc::corrupt);
  // Whoever reads this has just run it.
  CHECK_FALSE(contains(checked, "stoker data check"));
  CHECK(contains(checked, "restore a backup"));
  CHECK(read(place.file()) == content);
}

TEST_CASE("a byte that was flipped is told or harmless", "[storage]") {
  SqlitePlace place;
  fill_file(place, 60);
  auto good = read(place.file());
  Random random{11};
  auto refused = 0;
  for (auto i = 0; i < 150; ++i) {
    auto content = good;
    auto position = random.below(content.size());
    content[position] = static_cast<char>(~content[position]);
    write(place.file(), content);
    INFO("byte " << position);
    // It does not matter to a reader either that changes nothing.
    (void)check_stored(place.file());
    REQUIRE(read(place.file()) == content);
    if (!open_and_lead(place.file())) {
      ++refused;
      REQUIRE(read(place.file()) == content);
    }
    fs::remove(place.file() + "-wal");
    fs::remove(place.file() + "-shm");
  }
  CHECK(refused > 0);
}

// -- versions -----------------------------------------------------------------

TEST_CASE("an older version is brought to the newest, in one go", "[storage]") {
  TemporaryDirectory directory;
  auto path = directory.path("stoker.db");
  const SchemaSteps old{"CREATE TABLE t (a); INSERT INTO t VALUES (7)"};
  create_database(path, old);
  SQLite::Database database{path, SQLite::OPEN_READWRITE};
  SECTION("with all steps that it lacks") {
    auto steps = old;
    steps.emplace_back("ALTER TABLE t ADD COLUMN b DEFAULT 1");
    steps.emplace_back("UPDATE t SET b = b + a");
    migrate(database, path, steps);
    CHECK(check_version(database, path, steps) == 3);
    CHECK(database.execAndGet("SELECT b FROM t").getInt() == 8);
    migrate(database, path, steps);
    CHECK(database.execAndGet("SELECT b FROM t").getInt() == 8);
    // The program before refuses it from then on.
    auto check = catch_store_failures(
        path, [&] { return check_version(database, path, old); });
    CHECK(check.code() == Errc::too_new);
  }
  SECTION("or not at all") {
    auto steps = old;
    steps.emplace_back("UPDATE t SET a = 9");
    steps.emplace_back("UPDATE nothing SET a = 9");
    CHECK_THROWS_AS(migrate(database, path, steps), SQLite::Exception);
    CHECK(check_version(database, path, old) == 1);
    CHECK(database.execAndGet("SELECT a FROM t").getInt() == 7);
  }
}

TEST_CASE("what version 1 said of all instances has a record for each",
          "[storage]") {
  SqlitePlace place;
  const SchemaSteps old{schema_steps().front()};
  create_database(place.file(), old);
  auto add = [&](const std::string& id, int number, const std::string& ended,
                 const std::string& lists) {
    auto record = "{\"id\":\"" + id + "\",\"number\":" + std::to_string(number)
                  + ",\"state\":\"" + (ended == "NULL" ? "RUNNING" : "FINISHED")
                  + "\",\"submitted_ms\":5,\"ended_ms\":"
                  + (ended == "NULL" ? "null" : ended) + lists + "}";
    run_sql(place.file(), "INSERT INTO applications VALUES ('" + id + "', "
                              + std::to_string(number) + ", '"
                              + (ended == "NULL" ? "RUNNING" : "FINISHED")
                              + "', '', '', 5, " + "NULL, " + ended + ", '"
                              + record + "')");
  };
  add("app-1", 0, "NULL",
      R"(,"instances_done":[0,2],"instance_failures":[0,1,2])");
  add("app-2", 1, "7", R"(,"instances_done":[0],"instance_failures":[3])");
  add("app-3", 2, "NULL", "");
  run_sql(place.file(), "INSERT INTO applications VALUES ('app-4', 3, "
                        "'RUNNING', '', '', 5, NULL, NULL, '{damaged')");
  CHECK(contains(error_of(open_and_lead(place.file())), "app-4"));
  run_sql(place.file(), "DELETE FROM applications WHERE id = 'app-4'");
  auto stored = open_and_lead(place.file())->stored;
  AppId app{"app-1"};
  CHECK(stored.instances
        == std::vector<StoredInstance>{
            {app, 0, true, 0}, {app, 1, false, 1}, {app, 2, true, 2}});
  REQUIRE(stored.applications.size() == 3);
  CHECK(stored.applications[0].instances_done == 2);
  CHECK(stored.applications[1].instances_done == 1);
  CHECK(stored.applications[2].instances_done == 0);
}

TEST_CASE("a file that is there already is not made anew", "[storage]") {
  SqlitePlace place;
  fill_file(place);
  auto before = read(place.file());
  create_database(place.file(), schema_steps());
  CHECK(read(place.file()) == before);
}

// -- looking at it ------------------------------------------------------------

TEST_CASE("looking at a file changes nothing", "[storage]") {
  SqlitePlace place;
  fill_file(place);
  auto before = read(place.file());
  auto view = *view_stored(place.file());
  CHECK(check_stored(place.file()));
  CHECK(view.version == static_cast<int>(schema_steps().size()));
  CHECK(view.leader.epoch.value == 1);
  CHECK(view.leader.master_url == "stoker://a:7070");
  CHECK(view.leader.since_ms == 1);
  CHECK(view.unreadable.empty());
  CHECK(read(place.file()) == before);
  CHECK(std::distance(fs::directory_iterator{place.directory.path(".")}, {})
        == 1);
  CHECK(view.state == stored_in(place));
}

TEST_CASE("a file is looked at while a master commits", "[storage]") {
  SqlitePlace place;
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  for (auto i = 0; i < 50; ++i) {
    REQUIRE(journal->commit({StoredUser{"u" + std::to_string(i)}}));
    CHECK(view_stored(place.file())->state.users.size()
          == static_cast<std::size_t>(i) + 1);
  }
  CHECK(check_stored(place.file())->empty());
}

TEST_CASE("names that mean something to SQLite are only names", "[storage]") {
  TemporaryDirectory directory;
  for (const auto* name : {"a?mode=memory", "b#c", "50%20", "file:d"}) {
    auto path = directory.path(name);
    fs::create_directory(path);
    auto file = journal_file(path);
    REQUIRE(open_and_lead(file));
    CHECK(fs::exists(file));
    CHECK(view_stored(file)->leader.epoch.value == 1);
  }
}
