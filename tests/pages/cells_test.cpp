// What stands in the cells of a page's tables.

#include "pages/cells.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::pages;

TEST_CASE("durations are told in their two largest units", "[pages]") {
  auto [ms, expected]
      = GENERATE(table<std::int64_t, std::string>({{-5, "0 s"},
                                                   {999, "0 s"},
                                                   {1000, "1 s"},
                                                   {59'999, "59 s"},
                                                   {60'000, "1 min"},
                                                   {185'000, "3 min 5 s"},
                                                   {3'600'000, "1 h"},
                                                   {3'660'000, "1 h 1 min"},
                                                   {3'601'000, "1 h"},
                                                   {90'000'000, "1 d 1 h"}}));
  CHECK(duration_text(ms) == expected);
}

TEST_CASE("times are told as UTC", "[pages]") {
  CHECK(utc_text(0) == "1970-01-01T00:00:00Z");
  CHECK(time(1'795'634'239'178).text == "2026-11-25T19:17:19Z");
  CHECK(pages::time(std::nullopt) == text("-"));
  CHECK(typed_utc_time(1'795'634'239'178) == text("2026-11-25 19:17:19"));
}

TEST_CASE("what goes on leaves its duration to the reader's clock", "[pages]") {
  auto x = elapsed(1000, std::nullopt, 61'000);
  CHECK(x.kind == Cell::Kind::since);
  CHECK(x.text == "1 min");
  CHECK(x.part == 1000);
  CHECK(elapsed(1000, std::nullopt, 0).text.empty());
  CHECK(elapsed(1000, 3000, 0) == text("2 s"));
}

TEST_CASE("memory is told with as many digits as anybody reads", "[pages]") {
  CHECK(memory(512).text == "512 MB");
  CHECK(memory(1024).text == "1 GB");
  CHECK(memory(1536).text == "1.5 GB");
  CHECK(memory_use(512, 4096).text == "512 MB of 4 GB");
}

TEST_CASE("an id leads to its page, whatever it has been named", "[pages]") {
  CHECK(href_of(AppId{"app-1"}) == "/applications/app-1");
  CHECK(href_of(ExecutorId{AppId{"app-1"}, 7}) == "/executors/app-1/7");
  CHECK(href_of(WorkerId{"a b/../\"?#%"})
        == "/workers/a%20b%2F..%2F%22%3F%23%25");
}
