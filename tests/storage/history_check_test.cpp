// What is wrong with the file of a history: storage/history_check.hpp.

#include "storage/history_check.hpp"

#include <filesystem>
#include <fstream>

#include <SQLiteCpp/Database.h>

#include "storage/history_schema.hpp"
#include "storage/history_store.hpp"
#include "storage/sqlite_schema.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct CheckedHistory {
  TemporaryDirectory directory;
  std::string path = directory.path("history.db");

  CheckedHistory() {
    std::vector<HistoryChange> changes;
    for (int i = 0; i < 2'000; ++i) {
      HistoryEntry x;
      x.kind = HistoryKind::executor;
      x.id = "app-1/" + std::to_string(i);
      x.user = "ann";
      x.state = "EXITED";
      x.ended_ms = 1'795'000'000'000;
      changes.emplace_back(std::move(x));
    }
    auto store = HistoryStore::open(path, {});
    REQUIRE(store);
    REQUIRE((*store)->put(changes, from_ms(1'795'000'000'000)));
  }

  [[nodiscard]] HistoryFindings findings() const {
    auto result = check_history(path);
    REQUIRE(result);
    return *std::move(result);
  }

  void change(const std::string& sql) const {
    SQLite::Database{path, SQLite::OPEN_READWRITE}.exec(sql);
  }
};

} // namespace

TEST_CASE_METHOD(CheckedHistory, "a sound history is counted", "[history]") {
  auto x = findings();
  CHECK(x.problems.empty());
  CHECK(x.entries == 2'000);
  CHECK(x.sums == 1);
}

TEST_CASE_METHOD(CheckedHistory, "damaged pages of a history are found",
                 "[history]") {
  auto size = std::filesystem::file_size(path);
  std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(static_cast<std::streamoff>(size / 2));
  file << std::string(20'000, '\x5a');
  file.close();
  auto result = check_history(path);
  REQUIRE_FALSE(result);
  CHECK(result.code() == Errc::corrupt);
  CHECK(contains(result.error().message, path));
  CHECK(contains(result.error().message, "restore a backup"));
  CHECK_FALSE(contains(result.error().message, "stoker data check"));
}

TEST_CASE_METHOD(CheckedHistory,
                 "each finding in damaged pages of a history is a line",
                 "[history]") {
  // The page that says of each other one what it belongs to.
  std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(4096);
  file << std::string(4096, '\0');
  file.close();
  auto problems = findings().problems;
  CHECK(problems.size() > 1);
  for (const auto& x : problems) {
    INFO(x);
    CHECK(x.starts_with("file: "));
    CHECK(x.find('\n') == std::string::npos);
    CHECK(x.find("***") == std::string::npos);
  }
}

TEST_CASE_METHOD(CheckedHistory, "an index that lacks an entry is found",
                 "[history]") {
  change(
      "PRAGMA writable_schema = ON; "
      "UPDATE sqlite_schema SET sql = 'CREATE INDEX entries_by_user ON "
      "entries (user, ended_ms, id) WHERE 0' WHERE name = 'entries_by_user'");
  change("DELETE FROM entries WHERE id = 'app-1/7'");
  change("PRAGMA writable_schema = ON; "
         "UPDATE sqlite_schema SET sql = 'CREATE INDEX entries_by_user ON "
         "entries (user, ended_ms, id)' WHERE name = 'entries_by_user'");
  auto x = findings();
  REQUIRE_FALSE(x.problems.empty());
  CHECK(contains(x.problems[0], "file: "));
}

TEST_CASE_METHOD(CheckedHistory, "rows that make no sense are named",
                 "[history]") {
  change("UPDATE entries SET kind = 'thing' WHERE id = 'app-1/7'");
  change("UPDATE use_by_month SET month = 'May'");
  change("DELETE FROM removed");
  CHECK(findings().problems
        == std::vector<std::string>{"entries 'app-1/7': 'thing' is no kind",
                                    "use_by_month 'May' of 'ann': that is no "
                                    "month",
                                    "removed: the row is missing"});
}

TEST_CASE_METHOD(CheckedHistory, "what is no history is an error",
                 "[history]") {
  std::filesystem::resize_file(path, 50);
  auto result = check_history(path);
  REQUIRE_FALSE(result);
  CHECK(contains(result.error().message, path));
  std::filesystem::remove(path);
  CHECK_FALSE(check_history(path));
}

TEST_CASE("a history of an earlier version is sound, and goes on",
          "[history]") {
  TemporaryDirectory directory;
  auto path = directory.path("history.db");
  const SchemaSteps old{history_schema_steps().front()};
  create_database(path, old);
  SQLite::Database{path, SQLite::OPEN_READWRITE}.exec(
      "INSERT INTO entries VALUES ('driver-1', 'driver', NULL, 'n', 'ann', "
      "NULL, 'FINISHED', 0, NULL, 'w1', 'h1', NULL, 1, 512, 1, 2, 3, 1, NULL, "
      "NULL, NULL, 1, 0), ('driver-0', 'driver', NULL, 'n', 'ann', NULL, "
      "'RELAUNCHING', NULL, 'its worker was lost; runs again as driver-1', "
      "'w1', 'h1', NULL, 1, 512, 1, 2, 2, 1, NULL, NULL, NULL, 1, 0)");
  auto before = check_history(path);
  REQUIRE(before);
  CHECK(before->problems.empty());
  CHECK(before->entries == 2);
  {
    auto store = *HistoryStore::open(path, {});
    HistoryEntry next;
    next.kind = HistoryKind::driver;
    next.id = "driver-2";
    next.ended_ms = 4;
    next.relaunched_as = {"driver-3"};
    REQUIRE(store->put({next}, from_ms(5)));
    auto entries = store->find({})->entries;
    REQUIRE(entries.size() == 3);
    CHECK(entries[0] == next);
    CHECK(entries[1].id == "driver-1");
    CHECK_FALSE(entries[1].relaunched_as);
    // Its message says as which one it was.
    CHECK(entries[2].relaunched_as == DriverId{"driver-1"});
  }
  CHECK(check_history(path)->problems.empty());
}
