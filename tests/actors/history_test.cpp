// The HISTORY: follows what a MASTER commits, and answers what has ended.

#include "actors/history.hpp"

#include <filesystem>
#include <fstream>

#include "actors/master.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

constexpr std::int64_t hour = 3'600'000;

/// What ended in 1970 is kept.
constexpr HistoryLimits forever{std::chrono::hours{24 * 366 * 100}};

struct HistoryFixture : DeterministicSystem {
  TemporaryDirectory directory;
  std::string path = directory.path("history.db");
  FeedActor feed = spawn(stoker::feed, std::size_t{100});
  std::uint64_t batch = 0;

  void begin() {
    caf::anon_send(
        feed, BeginFeed{LeaderEpoch{1}, std::make_shared<const StoredState>()});
    scheduler.run();
  }

  HistoryActor start() {
    return spawn(history, HistoryConfig{feed, path, forever});
  }

  void commit(Changes changes) {
    caf::anon_send(feed, PublishBatch{LeaderEpoch{1}, ++batch,
                                      std::make_shared<const Changes>(
                                          std::move(changes))});
    scheduler.run();
  }

  static StoredExecutor executor(int id, std::int64_t ended_ms = 0) {
    StoredExecutor x;
    x.app_id = {"a"};
    x.exec_id = id;
    x.cores = 1;
    x.launched = from_ms(0);
    if (ended_ms > 0)
      x.ended = from_ms(ended_ms);
    x.state = ended_ms > 0 ? ExecutorState::EXITED : ExecutorState::RUNNING;
    return x;
  }

  std::size_t count(const HistoryActor& of) {
    auto answer = request<HistoryResponse>(of, RequestHistory{});
    REQUIRE(answer.answer());
    return answer.answer()->entries.size();
  }
};

} // namespace

TEST_CASE_METHOD(HistoryFixture, "what ended is in the next answer",
                 "[history]") {
  auto actor = start();
  begin();
  commit({executor(0), executor(1)});
  CHECK(count(actor) == 0);
  commit({executor(0, 1'000)});
  CHECK(count(actor) == 1);
  commit({executor(1, 1'000), EraseExecutorsOf{{"a"}}});
  CHECK(count(actor) == 2);
}

TEST_CASE_METHOD(HistoryFixture, "what ended is in the file after a moment",
                 "[history]") {
  auto actor = start();
  begin();
  commit({executor(0, 1'000)});
  advance(std::chrono::milliseconds{200});
  auto reader = HistoryStore::open(path, forever);
  REQUIRE(reader);
  CHECK((*reader)->find({})->entries.size() == 1);
}

TEST_CASE_METHOD(HistoryFixture,
                 "nothing is lost while the file cannot be written",
                 "[history]") {
  std::ofstream{path} << "no database";
  auto actor = start();
  begin();
  commit({executor(0, 1'000)});
  auto refused = request<HistoryResponse>(actor, RequestHistory{});
  REQUIRE_FALSE(refused.answer());
  advance(std::chrono::seconds{3});
  std::filesystem::remove(path);
  advance(std::chrono::seconds{2});
  CHECK(count(actor) == 1);
}

TEST_CASE_METHOD(
    HistoryFixture,
    "a history whose file is gone goes on in a new one, and says so",
    "[history]") {
  CapturedLog log;
  auto actor = start();
  begin();
  commit({executor(0, 1'000)});
  CHECK(count(actor) == 1);
  // The log of the old one stays behind.
  REQUIRE(std::filesystem::exists(path + "-wal"));
  std::filesystem::remove(path);
  commit({executor(1, 1'000)});
  CHECK(count(actor) == 1);
  CHECK(log.text().find("[history-lost] " + path) != std::string::npos);
  CHECK(std::filesystem::exists(path));
  auto reader = HistoryStore::open(path, forever);
  REQUIRE(reader);
  CHECK((*reader)->find({})->entries.at(0).id == "a/1");
}

TEST_CASE_METHOD(HistoryFixture, "what still runs counts for its month",
                 "[history]") {
  auto actor = start();
  begin();
  auto running = executor(0);
  running.launched
      = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  commit({running, executor(1, hour)});
  advance(std::chrono::hours{2}, std::chrono::hours{1});
  auto answer = request<UseResponse>(actor, RequestUse{});
  REQUIRE(answer.answer());
  // The two hours may be of two months.
  auto months = answer.answer()->months;
  REQUIRE(months.size() >= 2);
  CHECK(months.back().month == "1970-01");
  CHECK(months.back().core_ms == hour);
  CHECK(months.back().executors == 1);
  std::int64_t present = 0;
  for (const auto& x : months)
    if (x.month != "1970-01")
      present += x.core_ms;
  CHECK(present >= 2 * hour - 1'000);
  CHECK(present <= 2 * hour + 60'000);
}

TEST_CASE_METHOD(HistoryFixture, "it ends with the feed", "[history]") {
  auto actor = start();
  begin();
  auto address = caf::actor_cast<caf::actor_addr>(actor);
  actor = nullptr;
  commit({executor(0, 1'000)});
  kill(feed);
  // It has written what was new.
  auto reader = HistoryStore::open(path, forever);
  REQUIRE(reader);
  CHECK((*reader)->find({})->entries.size() == 1);
}

TEST_CASE_METHOD(HistoryFixture, "a master without a history says so",
                 "[history]") {
  auto x = spawn(master, ClusterConfig{}, MasterServices{});
  auto answer = request<HistoryResponse>(x, RequestHistory{});
  CHECK(failed_with(answer.answer(), Errc::not_found));
}
