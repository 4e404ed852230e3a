// Stoker asks for executors, and ends idle ones, when Spark's ExecutorAllocationManager
// does.

#include <exception>
#include <fstream>
#include <string>
#include <utility>

#include <boost/json.hpp>

#include "tests/support/catch.hpp"
#include "tools/conformance/allocation_cases.hpp"

namespace json = boost::json;

namespace {

/// Compares the answers to the cases of a file, one to a line. Returns how many
/// there are.
int check_cases(const std::string& path) {
  std::ifstream in{path};
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    auto original = json::parse(line).as_object();
    auto expected = std::exchange(original["expect"], nullptr);
    auto answer = stoker::conformance::allocations(original);
    INFO("case " << answer.at("id").as_string());
    const auto& actual = answer.at("expect");
    if (const auto* entries = expected.if_array()) {
      REQUIRE(actual.as_array().size() == entries->size());
      for (std::size_t i = 0; i < entries->size(); ++i)
        REQUIRE(actual.as_array()[i] == (*entries)[i]);
    } else {
      REQUIRE(actual == expected);
    }
  }
  return count;
}

json::value small_trace() {
  return json::parse(R"({
    "id": "small", "kind": "trace", "start_ms": 1000,
    "conf": {"spark.dynamicAllocation.executorIdleTimeout": "1s"},
    "events": [
      {"at_ms": 1000, "event": "stage_submitted", "stage": 0, "attempt": 0,
       "tasks": 1, "locality": [["a", "b"]]},
      {"at_ms": 2000, "event": "schedule"},
      {"at_ms": 2000, "event": "executor_added", "executor": "0", "host": "a"},
      {"at_ms": 2000, "event": "task_start", "stage": 0, "attempt": 0,
       "task": 7, "index": 0, "executor": "0", "speculative": false},
      {"at_ms": 2500, "event": "task_end", "stage": 0, "attempt": 0,
       "task": 7, "index": 0, "executor": "0", "speculative": false,
       "outcome": "success"},
      {"at_ms": 2500, "event": "stage_completed", "stage": 0, "attempt": 0,
       "tasks": 1},
      {"at_ms": 3500, "event": "schedule"}]})");
}

} // namespace

TEST_CASE("allocations are those of Spark's manager", "[scheduling][vectors]") {
  CHECK(check_cases(STOKER_TEST_DATA "/vectors/allocation.jsonl") == 99);
}

// All 204 cases, of which the file above has all that were made by hand and each fourth
// random one, where they are at hand: beside a checkout of this project.
TEST_CASE("allocations are those of Spark's manager in all cases at hand",
          "[scheduling][vectors]") {
  std::string path{STOKER_TEST_DATA
                   "/../../../../shared/vectors/allocation.jsonl"};
  if (std::ifstream{path})
    CHECK(check_cases(path) == 204);
}

TEST_CASE("a trace tells what is asked for after each step",
          "[scheduling][vectors]") {
  auto answer = stoker::conformance::allocations(small_trace());
  CHECK(answer == json::parse(R"({"id": "small", "expect": [
    {"after": -1, "at_ms": 1000, "target": 0, "needed": 0,
     "requests": [{"total": 0, "locality_aware_tasks": 0,
                   "host_to_local_task_count": {}, "acknowledged": true}],
     "killed": [], "next_increment": 1, "add_at_ms": null,
     "executors_known": 0, "executors_pending_removal": 0,
     "initializing": true},
    {"after": 1, "at_ms": 2000, "target": 1, "needed": 1,
     "requests": [{"total": 1, "locality_aware_tasks": 1,
                   "host_to_local_task_count": {"a": 1, "b": 1},
                   "acknowledged": true}],
     "killed": [], "next_increment": 2, "add_at_ms": 3000,
     "executors_known": 0, "executors_pending_removal": 0,
     "initializing": false},
    {"after": 6, "at_ms": 3500, "target": 0, "needed": 0,
     "requests": [{"total": 0, "locality_aware_tasks": 0,
                   "host_to_local_task_count": {}, "acknowledged": true},
                  {"total": 0, "locality_aware_tasks": 0,
                   "host_to_local_task_count": {}, "acknowledged": true}],
     "killed": [["0"]], "next_increment": 1, "add_at_ms": null,
     "executors_known": 1, "executors_pending_removal": 1,
     "initializing": false}]})"));
}

TEST_CASE("what is no case of allocation is refused", "[scheduling][vectors]") {
  auto refused = [](auto&& spoil) {
    auto x = small_trace().as_object();
    spoil(x);
    CHECK_THROWS_AS(stoker::conformance::allocations(x), std::exception);
  };
  auto event = [](auto& x, std::size_t i) -> json::object& {
    return x["events"].as_array()[i].as_object();
  };
  CHECK_NOTHROW(stoker::conformance::allocations(small_trace()));
  refused([](auto& x) { x["kind"] = "schedule"; });
  refused([](auto& x) { x.erase("kind"); });
  refused([](auto& x) { x["kind"] = "conf"; });
  refused([](auto& x) { x["unknown"] = 1; });
  refused([](auto& x) { x["conf"] = {{"spark.executor.memory", "1g"}}; });
  refused([](auto& x) { x["conf"] = {{"spark.executor.cores", 1}}; });
  refused([](auto& x) { x["conf"] = {{"spark.executor.cores", "0"}}; });
  refused([](auto& x) { x.erase("start_ms"); });
  refused([](auto& x) { x["start_ms"] = 1001; });
  refused([&](auto& x) { event(x, 0)["event"] = "stage_lost"; });
  refused([&](auto& x) { event(x, 0)["tasks"] = "1"; });
  refused([&](auto& x) { event(x, 0)["locality"] = {{"a", 1}}; });
  refused([&](auto& x) { event(x, 1)["executor"] = "0"; });
  refused([&](auto& x) { event(x, 1)["at_ms"] = 999; });
  refused([&](auto& x) { event(x, 1).erase("at_ms"); });
  refused([&](auto& x) { event(x, 2)["executor"] = "a"; });
  refused([&](auto& x) { event(x, 2)["executor"] = "00"; });
  refused([&](auto& x) { event(x, 3).erase("speculative"); });
  refused([&](auto& x) { event(x, 4)["outcome"] = "lost"; });
}
