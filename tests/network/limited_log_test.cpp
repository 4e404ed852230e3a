#include "network/limited_log.hpp"

#include <memory>
#include <sstream>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

TEST_CASE("a log takes ten of the warnings of a second, and counts the others",
          "[network]") {
  std::ostringstream out;
  auto before = spdlog::default_logger();
  auto logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_st>(out));
  logger->set_pattern("%v");
  spdlog::set_default_logger(logger);
  LimitedLog log{"event"};
  LimitedLog::Clock::time_point now{1h};
  for (int i = 0; i < 25; ++i)
    log.warn("it is " + std::to_string(i), now);
  log.warn("later", now + 1s);
  spdlog::set_default_logger(before);
  std::string expected;
  for (int i = 0; i < 10; ++i)
    expected += "[event] it is " + std::to_string(i) + "\n";
  expected += "[event] and 15 more\n[event] later\n";
  CHECK(out.str() == expected);
}
