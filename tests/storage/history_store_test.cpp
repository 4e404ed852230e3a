// The file of what has ended.

#include "storage/history_store.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <SQLiteCpp/Database.h>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

constexpr std::int64_t ms_of_day = 24LL * 3600 * 1000;

/// After all that ends here, but where a test says otherwise.
constexpr Instant much_later = from_ms(5'000 * ms_of_day);

HistoryEntry one_ended(const std::string& id, std::int64_t ended_ms) {
  HistoryEntry x;
  x.kind = HistoryKind::executor;
  x.app_id = AppId{id.substr(0, id.find('/'))};
  x.id = id;
  x.name = "words";
  x.user = "ann";
  x.state = "EXITED";
  x.cores = 2;
  x.memory_mb = 1024;
  x.submitted_ms = ended_ms - 1'000;
  x.started_ms = ended_ms - 1'000;
  x.ended_ms = ended_ms;
  x.core_ms = 2'000;
  x.parts = 1;
  return x;
}

struct HistoryFile {
  TemporaryDirectory directory;
  std::string path
      = GENERATE(true, false) ? directory.path("history.db") : std::string{};
  HistoryLimits limits;
  std::unique_ptr<HistoryStore> store = open();

  [[nodiscard]] std::unique_ptr<HistoryStore> open() const {
    auto result = HistoryStore::open(path, limits);
    REQUIRE(result);
    return *std::move(result);
  }

  void put(const std::vector<HistoryChange>& changes,
           Instant now = much_later) const {
    REQUIRE(store->put(changes, now));
  }

  /// Removes and gives back all that may be. Returns in how many steps.
  [[nodiscard]] int clean(Instant now) const {
    int steps = 0;
    for (;;) {
      auto more = store->remove_old(now);
      REQUIRE(more);
      if (!*more)
        return steps;
      REQUIRE(++steps < 2'000);
    }
  }

  [[nodiscard]] std::uintmax_t size(const std::string& suffix = {}) const {
    return std::filesystem::file_size(path + suffix);
  }

  /// Of one application, one after the other.
  static std::vector<HistoryChange> many_ended(int count,
                                               std::int64_t first_ms) {
    std::vector<HistoryChange> result;
    for (int i = 0; i < count; ++i)
      result.emplace_back(
          one_ended("app-1/" + std::to_string(1'000'000 + i), first_ms + i));
    return result;
  }

  [[nodiscard]] HistoryResponse all(RequestHistory x = {}) const {
    auto result = store->find(x);
    REQUIRE(result);
    return *std::move(result);
  }

  [[nodiscard]] std::vector<std::string> ids(const RequestHistory& x
                                             = {}) const {
    std::vector<std::string> result;
    for (const auto& entry : all(x).entries)
      result.push_back(entry.id);
    return result;
  }

  [[nodiscard]] std::vector<MonthlyUse> months(RequestUse x = {}) const {
    auto result = store->use(x);
    REQUIRE(result);
    return result->months;
  }
};

using Ids = std::vector<std::string>;

} // namespace

TEST_CASE_METHOD(HistoryFile, "an entry is read as it was written",
                 "[history]") {
  auto x = one_ended("a/0", 5'000);
  x.company = "atlas";
  x.exit_status = -3;
  x.message = std::string{"line\nnul\0 \xff", 10};
  x.worker_id = WorkerId{"w1"};
  x.host = "h1";
  x.instance = 4;
  x.use = ResourceUse{1, 2, 3};
  x.failed_parts = 9;
  x.relaunched_as = {"driver-2"};
  auto bare = one_ended("a/1", 4'000);
  bare.started_ms.reset();
  put({x, bare});
  CHECK(all().entries == std::vector{x, bare});
}

TEST_CASE_METHOD(HistoryFile, "what ended last comes first, a part at a time",
                 "[history]") {
  put({one_ended("a/0", 1), one_ended("a/1", 3), one_ended("a/2", 3),
       one_ended("a/3", 2)});
  RequestHistory request;
  request.rows_max = 3;
  auto first = all(request);
  CHECK(ids(request) == Ids{"a/2", "a/1", "a/3"});
  REQUIRE(first.next);
  request.after = first.next;
  CHECK(ids(request) == Ids{"a/0"});
  CHECK_FALSE(all(request).next);
}

TEST_CASE_METHOD(HistoryFile, "all that is set has to hold", "[history]") {
  auto other = one_ended("b/0", 2'000);
  other.user = "bob";
  other.company = "atlas";
  other.state = "FAILED";
  other.name = "other";
  auto driver = one_ended("driver-1", 3'000);
  driver.kind = HistoryKind::driver;
  driver.app_id.reset();
  put({one_ended("a/0", 1'000), other, driver});
  auto check = [&](auto set, const Ids& expected) {
    RequestHistory x;
    set(x);
    CHECK(ids(x) == expected);
  };
  using R = RequestHistory;
  check([](R& x) { x.user = "bob"; }, {"b/0"});
  check([](R& x) { x.company = "atlas"; }, {"b/0"});
  check([](R& x) { x.state = "FAILED"; }, {"b/0"});
  check([](R& x) { x.name = "other"; }, {"b/0"});
  check([](R& x) { x.id = "a/0"; }, {"a/0"});
  check([](R& x) { x.app_id = AppId{"b"}; }, {"b/0"});
  check([](R& x) { x.kinds = {HistoryKind::driver}; }, {"driver-1"});
  check([](R& x) { x.since_ms = 2'000; }, {"driver-1", "b/0"});
  check([](R& x) { x.until_ms = 2'000; }, {"a/0"});
  check([](R& x) { x.user = "ann", x.state = "FAILED"; }, {});
  check([](R& x) { x.user = "' OR 1 --"; }, {});
  // What failed by its command's exit code, too.
  auto exited = one_ended("c/0", 500);
  exited.state = "EXITED";
  exited.exit_status = 3;
  put({exited});
  check([](R& x) { x.state = "FAILED"; }, {"b/0", "c/0"});
  check([](R& x) { x.state = "EXITED", x.id = "c/0"; }, {"c/0"});
  check([](R& x) { x.state = "FAILED", x.user = "bob"; }, {"b/0"});
}

TEST_CASE_METHOD(HistoryFile, "a question that makes no sense is refused",
                 "[history]") {
  RequestHistory x;
  x.rows_max = 0;
  CHECK(store->find(x).code() == Errc::invalid_request);
  x.rows_max = history_rows_max + 1;
  CHECK(store->find(x).code() == Errc::invalid_request);
  x.rows_max = 1;
  x.after = "nonsense";
  CHECK(store->find(x).code() == Errc::invalid_request);
  RequestUse use;
  use.from = "November";
  CHECK(store->use(use).code() == Errc::invalid_request);
}

TEST_CASE_METHOD(HistoryFile, "an application has what its executors used",
                 "[history]") {
  auto app = one_ended("a", 9'000);
  app.kind = HistoryKind::application;
  app.core_ms = 0;
  auto x = one_ended("a/0", 5'000);
  x.use = ResourceUse{10, 20, 30};
  auto y = one_ended("a/1", 6'000);
  y.use = ResourceUse{1, 50, 3};
  put({x, y, one_ended("a/2", 6'000), app});
  RequestHistory request;
  request.id = "a";
  auto found = all(request).entries.at(0);
  CHECK(found.core_ms == 6'000);
  CHECK(found.use == ResourceUse{11, 50, 33});
}

TEST_CASE_METHOD(HistoryFile, "an end that is told again counts once",
                 "[history]") {
  auto x = one_ended("a/0", 40 * ms_of_day);
  put({x});
  auto before = months();
  put({x});
  put({x, x});
  CHECK(months() == before);
  // What it used is known later, and stays known.
  auto y = x;
  y.use = ResourceUse{7, 8, 9};
  put({y});
  put({x});
  CHECK(all().entries == std::vector{y});
  REQUIRE(months().size() == 1);
  CHECK(months()[0].cpu_ms == 7);
  CHECK(months()[0].executors == 1);
}

TEST_CASE_METHOD(HistoryFile, "what has not ended after all is not there",
                 "[history]") {
  put({one_ended("a/0", 40 * ms_of_day), one_ended("a/1", 40 * ms_of_day)});
  put({ForgetEntry{"a/0"}, ForgetEntry{"unknown"}});
  CHECK(ids() == Ids{"a/1"});
  CHECK(months()[0].executors == 1);
  CHECK(months()[0].core_ms == 2'000);
}

TEST_CASE_METHOD(HistoryFile, "a user stays in the company of the time",
                 "[history]") {
  auto x = one_ended("a/0", 40 * ms_of_day);
  x.company = "atlas";
  put({x});
  x.company = "other";
  put({x});
  CHECK(all().entries[0].company == "atlas");
  CHECK(months().size() == 1);
}

TEST_CASE_METHOD(HistoryFile,
                 "an executor of a forgotten application has its names",
                 "[history]") {
  auto app = one_ended("a", 9'000);
  app.kind = HistoryKind::application;
  app.company = "atlas";
  put({app});
  auto x = one_ended("a/0", 5'000);
  x.user.clear();
  x.name.clear();
  put({x});
  CHECK(all().entries[1].user == "ann");
  CHECK(all().entries[1].company == "atlas");
}

TEST_CASE_METHOD(HistoryFile, "what is too old goes, and its sums stay",
                 "[history]") {
  limits.age = std::chrono::hours{24 * 10};
  store = open();
  put({one_ended("a/0", 20 * ms_of_day), one_ended("a/1", 35 * ms_of_day)});
  CHECK_FALSE(all().kept_since_ms);
  REQUIRE(store->remove_old(from_ms(40 * ms_of_day)));
  CHECK_FALSE(*store->remove_old(from_ms(40 * ms_of_day)));
  CHECK(ids() == Ids{"a/1"});
  CHECK(all().kept_since_ms == 20 * ms_of_day + 1);
  CHECK(months().size() == 2);
  // Told again, as by a new leader: it is not there again, nor counted twice.
  put({one_ended("a/0", 20 * ms_of_day)});
  CHECK(ids() == Ids{"a/1"});
  CHECK(months().back().executors == 1);
}

TEST_CASE_METHOD(HistoryFile, "what ended first goes when there is too much",
                 "[history]") {
  constexpr int count = 6'000;
  limits.bytes = 512 * 1024;
  limits.age = std::chrono::hours{24 * 1000};
  store = open();
  put(many_ended(count, 100 * ms_of_day));
  CHECK(clean(from_ms(101 * ms_of_day)) > 0);
  RequestHistory request;
  request.rows_max = history_rows_max;
  auto left = ids(request);
  CHECK(left.size() < count);
  CHECK(left.front() == "app-1/1005999");
  CHECK(months()[0].executors == count);
}

TEST_CASE_METHOD(HistoryFile, "most of what has room is kept", "[history]") {
  limits.bytes = 1024 * 1024;
  store = open();
  auto now = from_ms(101 * ms_of_day);
  std::size_t least = 100'000;
  RequestHistory request;
  request.rows_max = history_rows_max;
  for (int i = 0; i < 30; ++i) {
    auto changes = many_ended(400, 100 * ms_of_day + i * 1'000);
    for (auto& x : changes) {
      auto& entry = std::get<HistoryEntry>(x);
      entry.id = "app-" + std::to_string(10 + i) + entry.id.substr(5);
    }
    put(changes);
    if (clean(now) > 0 && i > 15)
      least = std::min(least, ids(request).size());
  }
  // An entry takes some 250 bytes.
  CHECK(least > 1'800);
  CHECK(least < 5'000);
}

TEST_CASE_METHOD(HistoryFile, "a clock that runs ahead leaves no mark behind",
                 "[history]") {
  limits.age = std::chrono::hours{24 * 10};
  store = open();
  // A clock runs a year ahead, and the end of one is told by it.
  auto ahead = from_ms(400 * ms_of_day);
  put({one_ended("a/0", 20 * ms_of_day), one_ended("a/1", 399 * ms_of_day)},
      ahead);
  CHECK(clean(ahead) > 0);
  CHECK(ids() == Ids{"a/1"});
  // It is set right.
  put({one_ended("a/2", 35 * ms_of_day)}, from_ms(35 * ms_of_day));
  CHECK(ids() == Ids{"a/1", "a/2"});
  CHECK_FALSE(store->take_mark_ahead());
}

TEST_CASE("a mark of the future is taken back, and what ends is kept and "
          "counted",
          "[history]") {
  TemporaryDirectory directory;
  auto path = directory.path("history.db");
  (void)HistoryStore::open(path, {});
  auto mark = 400 * ms_of_day;
  SQLite::Database{path, SQLite::OPEN_READWRITE}.exec(
      "UPDATE removed SET until_ms = " + std::to_string(mark));
  auto store = *HistoryStore::open(path, {});
  auto now = from_ms(40 * ms_of_day);
  CHECK(store->find({})->kept_since_ms == mark + 1);
  auto x = one_ended("a/0", 40 * ms_of_day - 5);
  SECTION("with the next end") {
    REQUIRE(store->put({x}, now));
  }
  SECTION("before the next end") {
    REQUIRE(store->remove_old(now));
    REQUIRE(store->put({x}, now + Duration{100}));
  }
  CHECK(store->find({})->entries == std::vector{x});
  CHECK(store->use({})->months.at(0).executors == 1);
  CHECK(store->find({})->kept_since_ms < to_ms(now));
  CHECK(store->take_mark_ahead() == from_ms(mark));
  // It is told once.
  CHECK_FALSE(store->take_mark_ahead());
}

TEST_CASE_METHOD(HistoryFile, "the file becomes smaller, and so does its log",
                 "[history]") {
  if (path.empty())
    return;
  auto now = from_ms(101 * ms_of_day);
  put(many_ended(40'000, 100 * ms_of_day));
  REQUIRE(size() > 4'000'000);
  // As after a start with another setting.
  store.reset();
  limits.bytes = 1024 * 1024;
  store = open();
  CHECK(clean(now) > 0);
  CHECK(size() <= 768 * 1024);
  CHECK(size("-wal") <= 256 * 1024);
  // Others know by the log that the file is in use.
  CHECK(size("-wal") > 0);
  // What comes at once may need more for a moment.
  put(many_ended(40'000, 101 * ms_of_day));
  CHECK(clean(now) > 0);
  CAPTURE(size(), size("-wal"));
  CHECK(size() + size("-wal") <= 1024 * 1024);
  RequestHistory request;
  request.rows_max = history_rows_max;
  CHECK(ids(request).size() > 1'500);
}

TEST_CASE_METHOD(HistoryFile, "what is free after an age is given back",
                 "[history]") {
  if (path.empty())
    return;
  put(many_ended(40'000, 100 * ms_of_day));
  CHECK(clean(from_ms(101 * ms_of_day)) == 0);
  auto before = size();
  REQUIRE(before > 4'000'000);
  CHECK(clean(from_ms(300 * ms_of_day)) > 0);
  CHECK(ids().empty());
  CHECK(size() < before / 8);
}

TEST_CASE("a file that could not become smaller becomes one that can",
          "[history]") {
  TemporaryDirectory directory;
  auto path = directory.path("history.db");
  auto x = one_ended("a/0", 5);
  REQUIRE((*HistoryStore::open(path, {}))->put({x}, much_later));
  auto mode = [&] {
    return SQLite::Database{path}.execAndGet("PRAGMA auto_vacuum").getInt();
  };
  constexpr int incremental = 2;
  CHECK(mode() == incremental);
  SQLite::Database{path, SQLite::OPEN_READWRITE}.exec(
      "PRAGMA auto_vacuum = NONE; VACUUM");
  REQUIRE(mode() == 0);
  auto again = *HistoryStore::open(path, {});
  CHECK(mode() == incremental);
  CHECK(again->find({})->entries == std::vector{x});
}

TEST_CASE_METHOD(HistoryFile, "sums are asked for by month, company and user",
                 "[history]") {
  auto x = one_ended("a/0", 40 * ms_of_day);
  x.company = "atlas";
  auto y = one_ended("b/0", 80 * ms_of_day);
  y.user = "bob";
  put({x, y});
  CHECK(months().size() == 2);
  CHECK(months()[0].month > months()[1].month);
  RequestUse request;
  request.company = "atlas";
  CHECK(months(request).size() == 1);
  request = {};
  request.user = "bob";
  CHECK(months(request)[0].user == "bob");
  request = {};
  request.from = "1970-03";
  CHECK(months(request).size() == 1);
  request.to = "1970-02";
  CHECK(months(request).empty());
}

TEST_CASE("a history is there again after a restart", "[history]") {
  TemporaryDirectory directory;
  auto path = directory.path("history.db");
  REQUIRE(
      (*HistoryStore::open(path, {}))->put({one_ended("a/0", 5)}, much_later));
  auto again = *HistoryStore::open(path, {});
  CHECK(again->find({})->entries.size() == 1);
  CHECK(mode_of(path) == 0600);
}

TEST_CASE("a file that is no history is refused and stays as it is",
          "[history]") {
  TemporaryDirectory directory;
  auto path = directory.path("history.db");
  std::ofstream{path} << "my notes";
  auto opened = HistoryStore::open(path, {});
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message.find(path) != std::string::npos);
  // It is no more than what has been: nothing else needs it.
  CHECK(opened.error().message.ends_with(
      "restore a backup, or remove it while no master runs: then the history "
      "begins anew"));
  CHECK(std::filesystem::file_size(path) == 8);
}
