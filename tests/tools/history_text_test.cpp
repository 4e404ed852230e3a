// What people and spreadsheets read of a history.

#include "tools/stoker/history_text.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include "scheduling/common/format_use.hpp"
#include "storage/monthly_use.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tools/stoker/table.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

HistoryResponse one_that_failed() {
  HistoryResponse result;
  auto& x = result.entries.emplace_back();
  x.id = "app-1";
  x.app_id = AppId{"app-1"};
  x.name = "words, \"all\"\nof them";
  x.user = "ann";
  x.state = "FAILED";
  x.message = "why";
  x.started_ms = 0;
  x.ended_ms = 90'000;
  x.use = ResourceUse{1'500, 12, 2'000'000};
  return result;
}

std::string csv(const HistoryResponse& x) {
  std::ostringstream out;
  print_history_csv(out, x);
  return out.str();
}

} // namespace

TEST_CASE("a table of a history has a line for each") {
  std::ostringstream out;
  print_history(out, one_that_failed());
  CHECK(contains(out.str(), "1.5 s"));
  CHECK(contains(out.str(), "12 MB"));
  CHECK(contains(out.str(), "1.9 MB"));
  CHECK(contains(out.str(), "why"));
  CHECK_FALSE(contains(out.str(), "COMPANY"));
  CHECK(std::ranges::count(out.str(), '\n') == 2);
}

TEST_CASE("a part of a history says that there is more") {
  auto x = one_that_failed();
  x.next = "9 app-1";
  std::ostringstream out;
  print_history(out, x);
  CHECK(contains(out.str(), "The last 1;"));
}

TEST_CASE("a table says what was removed, also where nothing is left") {
  auto table = [](const HistoryResponse& x,
                  const std::optional<std::int64_t>& since_ms = {}) {
    std::ostringstream out;
    print_history(out, x, since_ms);
    return out.str();
  };
  HistoryResponse x;
  x.kept_since_ms = 1'795'000'000'000;
  auto removed = "Entries of what ended before " + time_text(*x.kept_since_ms)
                 + " were removed (stoker.history.maxAge, maxSize).\n";
  CHECK(table(x).ends_with(removed));
  CHECK(contains(table(x, *x.kept_since_ms - 1), removed));
  CHECK_FALSE(contains(table(x, *x.kept_since_ms), "removed"));
  // One of whose executors some may be gone.
  x.entries = one_that_failed().entries;
  CHECK(contains(table(x, *x.kept_since_ms),
                 "Applications that began before " + time_text(*x.kept_since_ms)
                     + " have the use of those of their executors that ended "
                       "later.\n"));
  x.entries[0].started_ms = *x.kept_since_ms;
  CHECK_FALSE(contains(table(x), "Applications that began"));
  x.kept_since_ms.reset();
  CHECK_FALSE(contains(table(x), "removed"));
}

TEST_CASE("values with commas, quotes and newlines stay one value") {
  auto text = csv(one_that_failed());
  CHECK(contains(text, ",\"words, \"\"all\"\"\nof them\",ann,,FAILED,,why,"));
  CHECK(text.ends_with(",0,90000,0,1500,12,2000000,0,0,\r\n"));
}

TEST_CASE("a text that a spreadsheet would compute has a quote in front") {
  auto named = [](const std::string& name) {
    auto history = one_that_failed();
    history.entries.front().name = name;
    return csv(history);
  };
  for (const auto* name : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'text"})
    CHECK(contains(named(name), std::string{",'"} + name + ",ann,"));
  CHECK(contains(named("=A1,\"x\""), ",\"'=A1,\"\"x\"\"\",ann,"));
  CHECK(contains(named("\r=1"), ",\"'\r=1\",ann,"));
  CHECK(contains(named("a=1"), ",a=1,ann,"));
  UseResponse use;
  use.months = {{"2026-11", "=a", "@ann", 1, 2, 3, 4, 5, 6}};
  std::ostringstream out;
  print_use_csv(out, use);
  CHECK(contains(out.str(), "2026-11,'=a,'@ann,1,2,3,4,5,6\r\n"));
}

TEST_CASE("values that are no UTF-8 make no file that is none") {
  auto history = one_that_failed();
  history.entries.front().name = "bad\xff";
  CHECK(contains(csv(history), ",bad\xef\xbf\xbd,ann,"));
  UseResponse use;
  use.months = {{"2026-11", "a", "ann\xff", 1, 2, 3, 4, 5, 6}};
  std::ostringstream out;
  print_use_csv(out, use);
  CHECK(contains(out.str(), ",ann\xef\xbf\xbd,"));
}

TEST_CASE("each line of values has as many as there are names") {
  auto text = csv({});
  CHECK(std::ranges::count(text, ',') == 23);
  HistoryResponse bare;
  bare.entries.emplace_back();
  text = csv(bare);
  CHECK(std::ranges::count(text, ',') == 46);
}

TEST_CASE("the users of a company are added up, the last month first") {
  UseResponse x;
  x.months = {{"2026-11", "a", "ann", 1, 2, 3, 4, 5, 6},
              {"2026-11", "a", "bob", 1, 1, 1, 1, 1, 1},
              {"2026-11", "b", "eva", 7, 0, 0, 0, 0, 0},
              {"2026-10", "a", "ann", 9, 0, 0, 0, 0, 0}};
  auto sums = by_company(x).months;
  REQUIRE(sums.size() == 3);
  CHECK(sums[0] == MonthlyUse{"2026-11", "a", "", 2, 3, 4, 5, 6, 7});
  CHECK(sums[1].core_ms == 7);
  CHECK(sums[2].month == "2026-10");
}

TEST_CASE("what was used has a unit that fits") {
  CHECK(format_core_time(0) == "0.0 s");
  CHECK(format_core_time(3'599'949) == "3599.9 s");
  CHECK(format_core_time(3'599'999) == "1.0 h");
  CHECK(format_core_time(5'400'000) == "1.5 h");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1.0 KB");
  CHECK(format_bytes(std::int64_t{5} << 40) == "5.0 TB");
}

TEST_CASE(
    "what was used is rounded, and hours that are paid tell three digits") {
  CHECK(format_core_time(1'949) == "1.9 s");
  CHECK(format_core_time(1'950) == "2.0 s");
  CHECK(format_core_time(7'000'000) == "1.9 h");
  CHECK(format_core_time(7'100'000) == "2.0 h");
  CHECK(format_bytes(1'048'575) == "1.0 MB");
  CHECK(format_bytes(1'996) == "1.9 KB");
  CHECK(format_hours(0) == "0.00");
  CHECK(format_hours(1'000) == "0.0003");
  CHECK(format_hours(17'999) == "0.005");
  CHECK(format_hours(18'000) == "0.005");
  CHECK(format_hours(3'580'000) == "0.994");
  CHECK(format_hours(3'582'000) == "1.00");
  CHECK(format_hours(std::int64_t{5'120'505} * 3'600) == "5120.51");
  CHECK(format_gb_hours(1024 * 3600 / 2) == "0.50");
  // The largest there is.
  CHECK(format_hours(std::numeric_limits<std::int64_t>::max())
        == "2562047788015.22");
  CHECK(format_gb_hours(std::numeric_limits<std::int64_t>::max()).size() > 5);
}
