// Times that people write.

#include "storage/time_option.hpp"

#include <cstdlib>
#include <ctime>
#include <string>

#include "tests/support/catch.hpp"
#include "tools/stoker/table.hpp"

using namespace stoker;

namespace {

/// This process's time zone while it lives, in the form of POSIX.
class Zone {
public:
  explicit Zone(const char* name) {
    if (const auto* before = std::getenv("TZ"))
      before_ = before;
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  ~Zone() {
    if (before_)
      ::setenv("TZ", before_->c_str(), 1);
    else
      ::unsetenv("TZ");
    ::tzset();
  }

  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

private:
  std::optional<std::string> before_;
};

} // namespace

TEST_CASE("a time is shown by the clock of this machine and read again when "
          "the machine has a zone") {
  Zone zone{"IST-5:30"};
  const std::int64_t ms = 1'795'634'239'000;
  CHECK(time_text(ms) == "2026-11-26 00:47:19");
  CHECK(parse_time(time_text(ms), from_ms(0)) == from_ms(ms));
}

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

TEST_CASE("a time is of UTC with a Z at its end, or where all times are") {
  auto now = from_ms(0);
  const auto day = from_ms(1'795'651'200'000); // 2026-11-26 of UTC
  const auto afternoon = day + std::chrono::minutes{14 * 60 + 30};
  CHECK(parse_time("2026-11-26T14:30Z", now) == afternoon);
  CHECK(parse_time("2026-11-26 14:30Z", now) == afternoon);
  CHECK(parse_time("2026-11-26T14:30:00Z", now) == afternoon);
  CHECK(parse_time("2026-11-26Z", now) == day);
  CHECK(parse_time("2026-11-26", now, TimeOf::utc) == day);
  CHECK(parse_time("2h", now, TimeOf::utc) == now - std::chrono::hours{2});
  CHECK_FALSE(parse_time("2hZ", now));
  CHECK_FALSE(parse_time("2026-11-31Z", now));
}

TEST_CASE("a time is as far from UTC as its end says") {
  auto now = from_ms(0);
  auto utc = parse_time("2026-11-26T14:30Z", now);
  CHECK(parse_time("2026-11-26T15:30+01:00", now) == utc);
  CHECK(parse_time("2026-11-26 09:00-05:30", now) == utc);
  CHECK(parse_time("2026-11-26T15:30:00+01:00", now) == utc);
  CHECK_FALSE(parse_time("2026-11-26T15:30+24:00", now));
  CHECK_FALSE(parse_time("2026-11-26T15:30+1:00", now));
}

TEST_CASE("a time is when a day began") {
  auto now = *parse_time("2026-11-26T14:30Z", from_ms(0));
  CHECK(parse_time("yesterday", now, TimeOf::utc)
        == parse_time("2026-11-25Z", now));
  CHECK(parse_time("today", now, TimeOf::utc)
        == parse_time("2026-11-26Z", now));
  now = *parse_time("2026-03-01T00:00", from_ms(0));
  CHECK(parse_time("yesterday", now) == parse_time("2026-02-28", now));
}

TEST_CASE("a time is so long ago in several units") {
  auto now = from_ms(2'000'000'000'000);
  CHECK(parse_time("1w", now) == now - std::chrono::hours{7 * 24});
  CHECK(parse_time("1d12h", now) == now - std::chrono::hours{36});
  CHECK(parse_time("1w1d30min", now)
        == now - std::chrono::hours{8 * 24} - std::chrono::minutes{30});
  for (const auto* text : {"1d12", "w", "1dh", "1d 12h", "99999999w", "h1d"}) {
    INFO(text);
    CHECK_FALSE(parse_time(text, now));
  }
}

TEST_CASE("a time is so long ago") {
  auto now = from_ms(10'000'000);
  CHECK(parse_time("2h", now) == now - std::chrono::hours{2});
  CHECK(parse_time("90s", now) == now - std::chrono::seconds{90});
}

TEST_CASE("what is no time is none") {
  for (const auto* text : {"", "soon", "2026-13-01", "2026-11-31", "26.11.2026",
                           "2026-11-26 25:00", "2026-11-26 14:30 x", "-2h",
                           "2026", "1795783448", " 5 ", "0", "Z"}) {
    INFO(text);
    CHECK_FALSE(parse_time(text, from_ms(0)));
  }
}
