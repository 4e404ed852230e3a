// In one round of offers Stoker begins as many tasks of plain and barrier stages as the
// task scheduler of Spark 3.5.9.

#include <exception>
#include <fstream>
#include <string>

#include <boost/json.hpp>

#include "tests/support/catch.hpp"
#include "tools/conformance/barrier_cases.hpp"

namespace json = boost::json;

namespace {

json::value small_offers() {
  return json::parse(R"({
    "id": "small", "kind": "barrier-offer", "task_cpus": 2,
    "offers": [{"executor": "a", "free_cores": 3},
               {"executor": "b", "free_cores": 5}],
    "task_sets": [{"stage": 7, "tasks": 4, "barrier": true},
                  {"stage": 8, "tasks": 2, "barrier": true},
                  {"stage": 9, "tasks": 2, "barrier": false}]})");
}

} // namespace

TEST_CASE("as many tasks begin in a round of offers as in Spark",
          "[jobs][vectors]") {
  std::ifstream in{STOKER_TEST_DATA "/vectors/barrier-offers.jsonl"};
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    auto original = json::parse(line);
    INFO("case " << original.at("id").as_string());
    REQUIRE(stoker::conformance::offers(original) == original);
  }
  CHECK(count == 64);
}

TEST_CASE("a barrier stage that finds too few slots leaves them to others",
          "[jobs][vectors]") {
  CHECK(stoker::conformance::offers(small_offers()).at("expect")
        == json::parse(R"({"launched": [0, 2, 1]})"));
}

TEST_CASE("what is no case of offers is refused", "[jobs][vectors]") {
  auto refused = [](auto&& spoil) {
    auto x = small_offers().as_object();
    spoil(x);
    CHECK_THROWS_AS(stoker::conformance::offers(x), std::exception);
  };
  CHECK_NOTHROW(stoker::conformance::offers(small_offers()));
  refused([](auto& x) { x["kind"] = "trace"; });
  refused([](auto& x) { x["task_cpus"] = 0; });
  refused([](auto& x) { x["task_cpus"] = "1"; });
  refused([](auto& x) { x["surplus"] = 1; });
  refused([](auto& x) { x.erase("offers"); });
  refused([](auto& x) { x["task_sets"] = json::array{}; });
  refused([](auto& x) {
    x["offers"] = json::parse(R"([{"executor": "a", "free_cores": -1}])");
  });
  refused([](auto& x) {
    x["task_sets"]
        = json::parse(R"([{"stage": 0, "tasks": 0, "barrier": true}])");
  });
}
