// What programs were given in their environment, or as options of their JVM, may be
// secrets: once they have ended, no file of the database has them any more.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>

#include "scheduling/master/programs.hpp"
#include "tests/storage/journals.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// All bytes in all files of the database.
std::string bytes_of(const SqlitePlace& place) {
  std::string result;
  for (const auto& x :
       std::filesystem::directory_iterator{place.directory.path(".")}) {
    std::ifstream in{x.path(), std::ios::binary};
    result.append(std::istreambuf_iterator<char>{in}, {});
  }
  return result;
}

/// Found in any piece of a value that is longer than two of it.
std::string secret_of(int number) {
  return "s3cret-" + std::to_string(number) + ';';
}

std::string repeated(const std::string& text, std::uint64_t times) {
  std::string result;
  for (; times > 0; --times)
    result += text;
  return result;
}

/// Every third is a program of Spark's.
StoredApplication running_app(int number, std::uint64_t times = 1) {
  StoredApplication x;
  x.number = static_cast<std::uint32_t>(number);
  x.id.value = "app-" + std::to_string(number);
  x.description.name = "name";
  auto secret = repeated(secret_of(number), times);
  if (number % 3 == 0)
    x.description.command.spark
        = SparkProgram{"3.5.9", "Main", {}, {}, {"-Dpassword=" + secret}};
  else
    x.description.command.environment["PASSWORD"] = std::move(secret);
  return x;
}

StoredDriver running_driver(int number, std::uint64_t times = 1) {
  StoredDriver x;
  x.number = static_cast<std::uint32_t>(number);
  x.id.value = "driver-" + std::to_string(number);
  x.description.command.environment["PASSWORD"]
      = repeated(secret_of(number), times);
  x.description.on_end.emplace().command.environment["PASSWORD"]
      = secret_of(number);
  return x;
}

template <class Record>
Record ended(Record x) {
  forget_secrets(x.description);
  x.ended = Instant{};
  return x;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("what has ended leaves no secret in the files of the database",
          "[storage][secrets]") {
  SqlitePlace place;
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  SECTION("an application") {
    REQUIRE(journal->commit({running_app(1)}));
    CHECK(mentions(bytes_of(place), secret_of(1)));
    REQUIRE(journal->commit({ended(running_app(1))}));
  }
  SECTION("an application of Spark's") {
    REQUIRE(journal->commit({running_app(3)}));
    CHECK(mentions(bytes_of(place), secret_of(3)));
    REQUIRE(journal->commit({ended(running_app(3))}));
    CHECK(journal->check());
    CHECK_FALSE(mentions(bytes_of(place), secret_of(3)));
  }
  SECTION("a driver") {
    REQUIRE(journal->commit({running_driver(1)}));
    CHECK(mentions(bytes_of(place), secret_of(1)));
    REQUIRE(journal->commit({ended(running_driver(1))}));
  }
  SECTION("larger than a page") {
    REQUIRE(journal->commit({running_app(1, 5000)}));
    REQUIRE(journal->commit({ended(running_app(1))}));
  }
  SECTION("removed at once") {
    REQUIRE(journal->commit({running_app(1), running_driver(1)}));
    REQUIRE(journal->commit(
        {EraseApplication{{"app-1"}}, EraseDriver{{"driver-1"}}}));
  }
  SECTION("as its last leader was about to remove it") {
    REQUIRE(journal->commit({running_app(1)}));
    REQUIRE(journal->commit({ended(running_app(1))}));
    auto next = place.open();
    REQUIRE(next->lead("b", 2));
    journal = std::move(next);
  }
  CHECK(journal->check());
  CHECK_FALSE(mentions(bytes_of(place), secret_of(1)));
}

TEST_CASE("a reader that looks for long keeps secrets no longer than it looks",
          "[storage][secrets]") {
  SqlitePlace place;
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  REQUIRE(journal->commit({running_app(1)}));
  SQLite::Database reader{place.file(), SQLite::OPEN_READONLY};
  {
    SQLite::Transaction look{reader};
    CHECK(reader.execAndGet("SELECT count(*) FROM applications").getInt() == 1);
    REQUIRE(journal->commit({ended(running_app(1))}));
    auto before = std::chrono::steady_clock::now();
    CHECK(journal->check());
    // It does not wait for the reader: commits come behind it.
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds{2});
    CHECK(mentions(bytes_of(place), secret_of(1)));
    REQUIRE(journal->commit({StoredUser{"u"}}));
  }
  CHECK(journal->check());
  CHECK_FALSE(mentions(bytes_of(place), secret_of(1)));
}

TEST_CASE("of a leader that is never idle no secret stays for long",
          "[storage][secrets]") {
  SqlitePlace place;
  auto journal = *SqliteJournal::open(place.file());
  journal->set_secrets_kept_for(std::chrono::milliseconds{0});
  REQUIRE(journal->lead("a", 1));
  REQUIRE(journal->commit({running_app(1)}));
  REQUIRE(journal->commit({ended(running_app(1))}));
  REQUIRE(journal->commit({StoredUser{"u"}}));
  CHECK_FALSE(mentions(bytes_of(place), secret_of(1)));
}

TEST_CASE("secrets stay nowhere, however records came and went",
          "[storage][secrets]") {
  auto seed = GENERATE(range(1, 41));
  INFO("seed " << seed);
  Random random{static_cast<std::uint64_t>(seed)};
  SqlitePlace place;
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  // The largest fills a page, or more.
  std::size_t largest = std::size_t{1} << (1 + random.below(9));
  std::map<int, bool> runs;
  auto next = 0;
  for (auto commits = 150; commits > 0; --commits) {
    Changes changes;
    for (auto n = 1 + random.below(4); n > 0; --n) {
      if (runs.empty() || random.below(2) == 0) {
        // Ids are in no order, as those of several days.
        auto number = (next++ * 7919) % 10'007;
        changes.emplace_back(running_app(number, 2 + random.below(largest)));
        runs[number] = true;
        continue;
      }
      auto i = std::next(
          runs.begin(), static_cast<std::ptrdiff_t>(random.below(runs.size())));
      if (i->second) {
        changes.emplace_back(ended(running_app(i->first)));
        i->second = false;
      } else if (random.below(3) == 0) {
        changes.emplace_back(
            EraseApplication{{"app-" + std::to_string(i->first)}});
        runs.erase(i);
      } else {
        changes.emplace_back(running_app(i->first, 2 + random.below(largest)));
        i->second = true;
      }
    }
    REQUIRE(journal->commit(changes));
  }
  CHECK(journal->check());
  auto bytes = bytes_of(place);
  for (auto i = 0; i < next; ++i) {
    auto number = (i * 7919) % 10'007;
    auto found = runs.find(number);
    INFO("application " << number);
    CHECK(mentions(bytes, secret_of(number))
          == (found != runs.end() && found->second));
  }
}
