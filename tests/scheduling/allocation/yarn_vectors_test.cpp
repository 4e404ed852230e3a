// Stoker's book of requests has the figures of YARN's allocator of Spark 3.5.9, when it
// is kept as that one does.

#include <exception>
#include <fstream>
#include <string>

#include <boost/json.hpp>

#include "tests/support/catch.hpp"
#include "tools/conformance/yarn_cases.hpp"

namespace json = boost::json;

namespace {

json::value small_requests() {
  return json::parse(R"({
    "id": "small", "kind": "yarn", "initial_total": 2, "conf": {}, "steps": [
      {"op": "update_requests"},
      {"op": "allocated", "containers": [{"container": 7, "host": "a"}]},
      {"op": "request_total", "total": 1},
      {"op": "allocated", "containers": [{"container": 8, "host": "b"}]},
      {"op": "kill_executor", "executor": "1"},
      {"op": "completed", "containers": [{"container": 7, "exit_status": 143}]},
      {"op": "pass_ms", "ms": 10}, {"op": "shutdown"}]})");
}

} // namespace

TEST_CASE("requests are booked as by YARN's allocator",
          "[allocation][vectors]") {
  std::ifstream in{STOKER_TEST_DATA "/vectors/yarn-allocator.jsonl"};
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    auto original = json::parse(line);
    INFO("case " << original.at("id").as_string());
    auto answer = stoker::conformance::requests_by_step(original);
    const auto& actual = answer.at("steps").as_array();
    const auto& expected = original.at("steps").as_array();
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      INFO("step " << i);
      REQUIRE(actual[i] == expected[i]);
    }
  }
  CHECK(count == 95);
}

TEST_CASE("a case of requests is answered step by step",
          "[allocation][vectors]") {
  auto steps = stoker::conformance::requests_by_step(small_requests())
                   .at("steps")
                   .as_array();
  CHECK(steps[2].at("changed") == true);
  // The second one is left alone, as in YARN: it is in no book.
  CHECK(steps[3].at("expect") == json::parse(R"({
    "pending": 0, "running": 1, "released": 0, "failed": 0,
    "unexpected_release": 0,
    "executors": [{"executor": "1", "container": 7, "host": "a"}]})"));
  CHECK(steps[4].at("expect").at("released") == 1);
  CHECK(steps[5].at("expect") == json::parse(R"({
    "pending": 0, "running": 0, "released": 0, "failed": 0,
    "unexpected_release": 0, "executors": []})"));
}

TEST_CASE("what is no case of requests is refused", "[allocation][vectors]") {
  auto refused = [](auto&& spoil) {
    auto x = small_requests().as_object();
    spoil(x);
    CHECK_THROWS_AS(stoker::conformance::requests_by_step(x), std::exception);
  };
  auto with_step = [&](const char* step) {
    refused([&](auto& x) { x["steps"] = json::array{json::parse(step)}; });
  };
  CHECK_NOTHROW(stoker::conformance::requests_by_step(small_requests()));
  refused([](auto& x) { x["kind"] = "trace"; });
  refused([](auto& x) { x["initial_total"] = -1; });
  refused([](auto& x) { x["initial_total"] = "1"; });
  refused([](auto& x) { x["conf"] = {{"spark.executor.cores", "2"}}; });
  refused([](auto& x) {
    x["conf"] = {{"spark.yarn.executor.failuresValidityInterval", "a while"}};
  });
  refused([](auto& x) { x["surplus"] = 1; });
  refused([](auto& x) { x.erase("steps"); });
  with_step(R"({"op": "wait"})");
  with_step(R"({"op": "update_requests", "total": 1})");
  with_step(R"({"op": "request_total"})");
  with_step(R"({"op": "request_total", "total": -1})");
  with_step(R"({"op": "kill_executor", "executor": 1})");
  with_step(R"({"op": "completed", "containers": [{"container": 1}]})");
  with_step(R"({"op": "allocated", "containers": [
    {"container": 1, "host": "a"}, {"container": 1, "host": "a"}]})");
}
