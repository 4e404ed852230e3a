// Times that people write.

#include "storage/time_option.hpp"

#include "tests/support/catch.hpp"
#include "tools/stoker/table.hpp"

using namespace stoker;

TEST_CASE("a time is a date, with a time of day or without") {
  auto now = from_ms(0);
  auto read = [&](const std::string& text) {
    auto result = parse_time(text, now);
    return result ? time_text(to_ms(*result)) : std::string{};
  };
  CHECK(read("2026-11-26") == "2026-11-26 00:00:00");
  CHECK(read("2026-11-26 14:30") == "2026-11-26 14:30:00");
  CHECK(read("2026-11-26T14:30:05") == "2026-11-26 14:30:05");
}

TEST_CASE("a time is so long ago") {
  auto now = from_ms(10'000'000);
  CHECK(parse_time("2h", now) == now - std::chrono::hours{2});
  CHECK(parse_time("90s", now) == now - std::chrono::seconds{90});
}

TEST_CASE("what is no time is none") {
  for (const auto* text : {"", "soon", "2026-13-01", "2026-11-31", "26.11.2026",
                           "2026-11-26 25:00", "2026-11-26 14:30 x", "-2h"}) {
    INFO(text);
    CHECK_FALSE(parse_time(text, from_ms(0)));
  }
}
