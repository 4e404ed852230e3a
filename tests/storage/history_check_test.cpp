// What is wrong with the file of a history: storage/history_check.hpp.

#include "storage/history_check.hpp"

#include <filesystem>
#include <fstream>

#include <SQLiteCpp/Database.h>

#include "storage/history_store.hpp"
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
