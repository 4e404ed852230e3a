// stoker data: what people see of what is stored, and what is found wrong.

#include <filesystem>
#include <fstream>

#include <SQLiteCpp/Database.h>

#include "storage/history_store.hpp"
#include "storage/sqlite_journal.hpp"
#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// A data directory of a master that has led and committed.
std::string store(const Sandbox& sandbox, const Changes& more = {}) {
  auto directory = sandbox.path("data");
  std::filesystem::create_directories(directory);
  auto journal = *SqliteJournal::open(journal_file(directory));
  REQUIRE(journal->lead("stoker://one:7070", 1'700'000'000'000));
  StoredWorker worker;
  worker.id = {"worker-1"};
  worker.host = "host-1";
  worker.cores = 8;
  worker.memory_mb = 8000;
  StoredApplication app;
  app.id = {"app-1"};
  app.description.name = "sort\n\x1b[31m";
  app.description.user = "eva";
  app.description.command.environment["TOKEN"] = "swordfish";
  StoredExecutor executor;
  executor.app_id = app.id;
  executor.worker_id = worker.id;
  executor.cores = 8;
  executor.memory_mb = 4096;
  StoredDriver driver;
  driver.id = {"driver-1"};
  driver.description.command.environment["TOKEN"] = "swordfish";
  REQUIRE(journal->commit({worker, app, executor, driver, StoredCounters{1, 1},
                           StoredCompany{"acme"}, StoredUser{"eva"}}));
  REQUIRE(journal->commit(more));
  return directory;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("what is stored is shown in tables, without secrets") {
  Sandbox sandbox;
  auto directory = store(sandbox);
  auto result = sandbox.run({"data", "show", directory});
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  INFO(result.out);
  CHECK(result.out.starts_with(
      "Epoch 1700000000000, led by stoker://one:7070 since 2023"));
  for (const auto* part :
       {"Workers\n", "worker-1", "Applications\n", "sort??[31m", "Executors\n",
        "app-1/0", "4096 MB", "Drivers\n", "driver-1", "Companies\n", "acme",
        "Users\n", "eva"})
    CHECK(contains(result.out, part));
  CHECK_FALSE(contains(result.out, "swordfish"));
}

TEST_CASE("one table of what is stored is shown") {
  Sandbox sandbox;
  auto directory = store(sandbox);
  auto result = sandbox.run({"data", "show", directory, "--table", "drivers"});
  CHECK(result.status == 0);
  CHECK(contains(result.out, "driver-1"));
  CHECK_FALSE(contains(result.out, "worker-1"));
}

TEST_CASE("what is stored is given to machines, without secrets") {
  Sandbox sandbox;
  auto directory = store(sandbox);
  auto result = sandbox.run({"data", "show", directory, "--json"});
  CHECK(result.status == 0);
  CHECK_FALSE(contains(result.out, "swordfish"));
  CHECK(contains(result.out, "(hidden)"));
  auto value = boost::json::parse(result.out);
  CHECK(value.at("epoch") == 1700000000000);
  CHECK(value.at("workers").at(0).at("id") == "worker-1");
  CHECK(value.at("users").at(0).at("name") == "eva");
  result = sandbox.run(
      {"data", "show", directory, "--json", "--table", "workers"});
  value = boost::json::parse(result.out);
  CHECK(value.at("workers").as_array().size() == 1);
  CHECK_FALSE(value.as_object().contains("applications"));
}

TEST_CASE("what is stored is shown while a master uses it") {
  Sandbox sandbox;
  auto directory = store(sandbox);
  auto journal = *SqliteJournal::open(journal_file(directory));
  REQUIRE(journal->lead("stoker://two:7070", 1));
  auto result = sandbox.run({"data", "show", directory});
  CHECK(result.status == 0);
  CHECK(
      result.out.starts_with("Epoch 1700000000001, led by stoker://two:7070"));
  REQUIRE(journal->commit({StoredUser{"later"}}));
  CHECK(sandbox.run({"data", "check", directory}).out
        == "ok: epoch 1700000000001, 1 workers, 1 applications, 1 executors, 1 "
           "drivers, no history\n");
}

TEST_CASE("a check of what is stored tells each finding in a line") {
  Sandbox sandbox;
  StoredExecutor lost;
  lost.app_id = {"app-2"};
  lost.worker_id = {"worker-1"};
  lost.cores = 1;
  auto directory = store(sandbox, {lost});
  auto before = contents_of(journal_file(directory));
  auto result = sandbox.run({"data", "check", directory});
  CHECK(result.status == 1);
  CHECK(result.err.empty());
  CHECK(lines_of(result.out)
        == std::vector<std::string>{
            "executor app-2/0: its application is not stored",
            "worker worker-1: 9 cores are taken of 8"});
  CHECK(contents_of(journal_file(directory)) == before);
}

TEST_CASE("a check tells which of both files is bad") {
  Sandbox sandbox;
  auto directory = store(sandbox);
  auto history = history_file(directory);
  {
    auto made = HistoryStore::open(history, {});
    REQUIRE(made);
    HistoryEntry x;
    x.id = "app-1";
    x.ended_ms = 1'000;
    REQUIRE((*made)->put({x}, from_ms(2'000)));
  }
  auto result = sandbox.run({"data", "check", directory});
  CHECK(result.status == 0);
  CHECK(contains(result.out, "1 drivers, 1 entries and 1 sums by month in the "
                             "history\n"));
  SQLite::Database{history, SQLite::OPEN_READWRITE}.exec(
      "UPDATE entries SET kind = 'thing'");
  result = sandbox.run({"data", "check", directory});
  CHECK(result.status == 1);
  CHECK(result.err.empty());
  CHECK(result.out == "history.db: entries 'app-1': 'thing' is no kind\n");
  std::filesystem::resize_file(history, 5'000);
  result = sandbox.run({"data", "check", directory});
  CHECK(result.status == 1);
  CHECK(contains(result.out + result.err, "history.db: "));
  std::ofstream{history} << "garbage";
  check_refusal(sandbox.run({"data", "check", directory}), 1,
                history + ": is not a database of SQLite");
}

TEST_CASE("a check tells of each damaged file, and says to restore a backup") {
  Sandbox sandbox;
  auto directory = store(sandbox);
  auto stored = journal_file(directory);
  auto history = history_file(directory);
  REQUIRE(HistoryStore::open(history, {}));
  auto damage = [](const std::string& file) {
    std::fstream out{file, std::ios::in | std::ios::out | std::ios::binary};
    out.seekp(4096);
    out << std::string(std::filesystem::file_size(file) - 4096, '\x5a');
  };
  damage(stored);
  SECTION("one") {
    auto result = sandbox.run({"data", "check", directory});
    CHECK(result.status == 1);
    CHECK(result.err.starts_with("stoker: " + stored + ": "));
    CHECK(contains(result.err, "restore a backup"));
    CHECK_FALSE(contains(result.err, "stoker data check"));
  }
  SECTION("both") {
    damage(history);
    auto result = sandbox.run({"data", "check", directory});
    CHECK(result.status == 1);
    CHECK(contains(result.out, "history.db: "));
    CHECK(result.err.starts_with("stoker: " + stored + ": "));
    CHECK(contains(result.err, "restore a backup"));
    CHECK_FALSE(contains(result.out + result.err, "stoker data check"));
  }
}

TEST_CASE("a check tells each finding in damaged pages, and what to do") {
  Sandbox sandbox;
  auto directory = store(sandbox);
  auto history = history_file(directory);
  REQUIRE(HistoryStore::open(history, {}));
  std::fstream out{history, std::ios::in | std::ios::out | std::ios::binary};
  // The page that says of each other one what it belongs to.
  out.seekp(4096);
  out << std::string(4096, '\0');
  out.close();
  auto result = sandbox.run({"data", "check", directory});
  CHECK(result.status == 1);
  auto lines = lines_of(result.out);
  CHECK(lines.size() > 1);
  for (const auto& line : lines) {
    INFO(line);
    CHECK(line.starts_with("history.db: file: "));
    CHECK_FALSE(contains(line, "?"));
  }
  CHECK(lines_of(result.err).size() == 1);
  CHECK(contains(result.err, "restore a backup"));
}

TEST_CASE("what a master stores is copied while it runs, and checked") {
  Sandbox sandbox;
  auto directory = store(sandbox);
  auto journal = *SqliteJournal::open(journal_file(directory));
  REQUIRE(journal->lead("stoker://two:7070", 1));
  auto to = sandbox.path("backup");
  auto made = sandbox.run({"data", "backup", directory, to});
  INFO(made.err);
  CHECK(made.status == 0);
  CHECK(made.err.empty());
  CHECK(made.out == "made " + journal_file(to) + '\n');
  CHECK(sandbox.run({"data", "check", to}).out
        == "ok: epoch 1700000000001, 1 workers, 1 applications, 1 executors, 1 "
           "drivers, no history\n");
  check_refusal(sandbox.run({"data", "backup", directory, to}), 1,
                journal_file(to) + " exists already");
  auto other = sandbox.path("other");
  check_refusal(sandbox.run({"data", "backup", sandbox.path("wrong"), other}),
                1, "nothing is stored in " + sandbox.path("wrong"));
  CHECK_FALSE(std::filesystem::exists(other));
  check_refusal(sandbox.run({"data", "backup", directory}), 2, "TO");
}

TEST_CASE("a store that cannot be read is told in one line") {
  Sandbox sandbox;
  auto directory = sandbox.path("data");
  auto command = GENERATE("show", "check");
  check_refusal(sandbox.run({"data", command, directory}), 1,
                "nothing is stored in " + directory);
  std::filesystem::create_directories(directory);
  check_refusal(sandbox.run({"data", command, directory}), 1,
                "there is no file " + journal_file(directory));
  std::ofstream{journal_file(directory)} << "garbage";
  check_refusal(sandbox.run({"data", command, directory}), 1,
                "is not a database of SQLite");
  CHECK(contents_of(journal_file(directory)) == "garbage");
  check_refusal(sandbox.run({"data"}), 2, "subcommand");
  check_refusal(sandbox.run({"data", command}), 2, "DIR");
  check_refusal(sandbox.run({"data", "show", directory, "--table", "things"}),
                2, "things");
}
