#include "network/limited_log.hpp"

#include <string>

#include "tests/support/captured_log.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

TEST_CASE("a log takes ten of the warnings of a second, and counts the others",
          "[network]") {
  test::CapturedLog captured;
  LimitedLog log{"event"};
  LimitedLog::Clock::time_point now{1h};
  for (int i = 0; i < 25; ++i)
    log.warn("it is " + std::to_string(i), now);
  log.warn("later", now + 1s);
  std::string expected;
  for (int i = 0; i < 10; ++i)
    expected += "[event] it is " + std::to_string(i) + "\n";
  expected += "[event] and 15 more\n[event] later\n";
  CHECK(captured.text() == expected);
}
