// What was held, by month.

#include "storage/monthly_use.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

constexpr std::int64_t ms_of_hour = 3'600'000;

Instant day(int year, unsigned month, unsigned number) {
  using namespace std::chrono;
  return Instant{sys_days{std::chrono::year{year} / std::chrono::month{month}
                          / std::chrono::day{number}}};
}

} // namespace

TEST_CASE("a month is that of UTC", "[history]") {
  CHECK(month_of(day(2026, 11, 30) + std::chrono::hours{24} - Duration{1})
        == "2026-11");
  CHECK(month_of(day(2026, 12, 1)) == "2026-12");
  CHECK(month_of(from_ms(0)) == "1970-01");
  CHECK(month_of(from_ms(-1)) == "1970-01");
  CHECK(month_of(from_ms(std::numeric_limits<std::int64_t>::max()))
        == "9999-12");
}

TEST_CASE("only what is written as a month is one", "[history]") {
  CHECK(is_month("2026-11"));
  for (const auto* text : {"", "2026", "2026-00", "2026-13", "2026-1", "26-11",
                           "2026-11-01", "2026/11", "abcd-ef", "2026-1x"}) {
    INFO(text);
    CHECK_FALSE(is_month(text));
  }
}

TEST_CASE("what is held over the end of a month is of both", "[history]") {
  auto use = use_by_month(day(2026, 11, 30), day(2026, 12, 3), 4, 1024);
  REQUIRE(use.size() == 2);
  CHECK(use.at("2026-11").core_ms == 4 * 24 * ms_of_hour);
  CHECK(use.at("2026-12").core_ms == 4 * 2 * 24 * ms_of_hour);
  CHECK(use.at("2026-11").memory_mb_s == 1024 * 24 * 3600);
}

TEST_CASE("what is held for years is of each month", "[history]") {
  auto use = use_by_month(day(2024, 1, 1), day(2026, 1, 1), 1, 1);
  CHECK(use.size() == 24);
  std::int64_t sum = 0;
  for (const auto& [month, x] : use)
    sum += x.core_ms;
  CHECK(sum == (366 + 365) * 24 * ms_of_hour);
  CHECK(use.at("2024-02").core_ms == 29 * 24 * ms_of_hour);
}

TEST_CASE("what ended before it began has held nothing", "[history]") {
  CHECK(use_by_month(day(2026, 2, 1), day(2026, 1, 1), 1, 1).empty());
  CHECK(use_by_month(day(2026, 2, 1), day(2026, 2, 1), 1, 1).empty());
}

TEST_CASE("an end counts in its month, and what it used, too", "[history]") {
  HistoryEntry x;
  x.kind = HistoryKind::executor;
  x.user = "ann";
  x.company = "atlas";
  x.cores = 2;
  x.started_ms = to_ms(day(2026, 11, 30));
  x.ended_ms = to_ms(day(2026, 12, 2));
  x.use = ResourceUse{7, 8, 9};
  auto use = use_by_month(x);
  REQUIRE(use.size() == 2);
  CHECK(use.at("2026-11").executors == 0);
  CHECK(use.at("2026-11").cpu_ms == 0);
  CHECK(use.at("2026-11").user == "ann");
  CHECK(use.at("2026-12").executors == 1);
  CHECK(use.at("2026-12").cpu_ms == 7);
  CHECK(use.at("2026-12").company == "atlas");
}

TEST_CASE("stages hold nothing: their executors do", "[history]") {
  HistoryEntry x;
  x.kind = HistoryKind::stage;
  x.started_ms = 0;
  x.ended_ms = ms_of_hour;
  CHECK(use_by_month(x).empty());
}
