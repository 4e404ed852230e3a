// Which lines of a log are written, and how.

#include "tools/stoker/log_levels.hpp"

#include <boost/json/parse.hpp>

#include "tests/support/catch.hpp"
#include "tools/stoker/log_json.hpp"

using namespace stoker;

namespace {

LogLevels levels(const std::string& text) {
  auto result = LogLevels::parse(text, spdlog::level::info);
  REQUIRE(result);
  return *result;
}

boost::json::object line(const std::string& text) {
  return boost::json::parse(
             log_line_json("2026-11-26T12:00:00.001Z", "info", text))
      .as_object();
}

} // namespace

TEST_CASE("the longest part that an event is of says its level") {
  auto x = levels("warn, spark=debug,spark-driver=off");
  CHECK(x.of("") == spdlog::level::warn);
  CHECK(x.of("master-state") == spdlog::level::warn);
  CHECK(x.of("spark") == spdlog::level::debug);
  CHECK(x.of("spark-worker") == spdlog::level::debug);
  CHECK(x.of("spark-driver") == spdlog::level::off);
  CHECK(x.of("spark-driver-unreachable") == spdlog::level::off);
  CHECK(x.of("sparkle") == spdlog::level::warn);
  CHECK(x.lowest() == spdlog::level::debug);
}

TEST_CASE("levels for parts leave the level for all") {
  auto x = levels("executor=off");
  CHECK(x.of("executor-started") == spdlog::level::off);
  CHECK(x.of("worker-lost") == spdlog::level::info);
  CHECK(levels("").lowest() == spdlog::level::info);
}

TEST_CASE("a level is called as lines of a log have it, too") {
  auto x = levels("warning,spark=warning,failed=critical");
  CHECK(x.of("worker-lost") == spdlog::level::warn);
  CHECK(x.of("spark-worker") == spdlog::level::warn);
  CHECK(x.of("failed") == spdlog::level::critical);
}

TEST_CASE("what is no level is refused") {
  for (const auto* text :
       {"loud", "spark=", "spark=loud", "warn,,info", "=="}) {
    INFO(text);
    auto result = LogLevels::parse(text, spdlog::level::info);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find("no level of a log")
          != std::string::npos);
  }
}

TEST_CASE("a level is for events that there are") {
  for (const auto* text : {"sparks=info", "spark-=info", "wor=off",
                           "warn,Executor=off", "=info"}) {
    INFO(text);
    auto result = LogLevels::parse(text, spdlog::level::info);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find("no event is called")
          != std::string::npos);
  }
  levels("worker=off,worker-lost=info,history-not-written=off");
}

TEST_CASE("the event of a line stands in brackets in front of it") {
  CHECK(event_of("[worker-lost] worker=w1") == "worker-lost");
  CHECK(event_of("a sentence [with] brackets").empty());
  CHECK(event_of("[unfinished").empty());
}

TEST_CASE("a line of fields is an object with them") {
  auto x = line(R"([executor-ended] app=app-1 code=3 message="a \"b\" \\ c")");
  CHECK(x.at("time") == "2026-11-26T12:00:00.001Z");
  CHECK(x.at("level") == "info");
  CHECK(x.at("event") == "executor-ended");
  CHECK(x.at("fields").at("app") == "app-1");
  CHECK(x.at("fields").at("code") == "3");
  CHECK(x.at("fields").at("message") == "a \"b\" \\ c");
}

TEST_CASE("a sentence is a message, whatever stands in it") {
  CHECK_FALSE(line("[stopping] a=1 and then").contains("fields"));
  CHECK_FALSE(line("[x] a=\"unfinished").contains("fields"));
  CHECK_FALSE(line("no event").contains("event"));
  CHECK(line("no event").at("message") == "no event");
  // Bytes that are no text.
  CHECK(line("\xff\n\x1b[31m").at("message").as_string().size() > 3);
}
