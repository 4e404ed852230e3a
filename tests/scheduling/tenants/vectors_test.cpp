// Stoker admits applications as a model of document 001 does that shares no
// code with it and computes with exact fractions.

#include <exception>
#include <fstream>
#include <string>
#include <utility>

#include <boost/json.hpp>

#include "tests/support/catch.hpp"
#include "tools/conformance/tenants_cases.hpp"

namespace json = boost::json;

namespace {

/// Compares the answers to the cases of a file, one to a line. Returns how many
/// there are.
int check_cases(const std::string& path) {
  std::ifstream in{path};
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    auto original = json::parse(line).as_object();
    auto expected = std::exchange(original["expect"], nullptr).as_array();
    auto answer = stoker::conformance::admissions(original);
    INFO("case " << answer.at("id").as_string());
    const auto& actual = answer.at("expect").as_array();
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      INFO("event " << i << ": " << original.at("events").at(i));
      REQUIRE(actual[i] == expected[i]);
    }
  }
  return count;
}

json::value small_case() {
  return json::parse(R"({
    "id": "small", "policy": {}, "cluster": {"cores": 4, "memory_mb": 4096},
    "companies": [{"name": "c"}], "users": [{"name": "u", "company": "c"}],
    "events": [
      {"submit": {"app": "b", "user": "u", "cores": 3, "memory_per_core_mb": 1}},
      {"submit": {"app": "x", "user": "?", "cores": 1, "memory_per_core_mb": 1}},
      {"submit": {"app": "a", "user": "u", "cores": 2, "memory_per_core_mb": 1}},
      {"submit": {"app": "c", "user": "u", "cores": 2, "memory_per_core_mb": 1}},
      {"end": "x"},
      {"end": "b"}]})");
}

} // namespace

TEST_CASE("admissions are those of an independent model",
          "[scheduling][vectors]") {
  CHECK(check_cases(STOKER_TEST_DATA "/vectors/tenants.jsonl") == 40);
}

// All 200 cases, of which the file above has every fifth, where they are at
// hand: beside a checkout of this project.
TEST_CASE("admissions are those of the model in all cases at hand",
          "[scheduling][vectors]") {
  std::string path{STOKER_TEST_DATA
                   "/../../../../shared/vectors/tenants.jsonl"};
  if (std::ifstream{path})
    CHECK(check_cases(path) == 200);
}

TEST_CASE("a case tells who is admitted, refused, and was not there",
          "[scheduling][vectors]") {
  CHECK(stoker::conformance::admissions(small_case()).at("expect")
        == json::parse(R"([["b"], "refused", ["a", "b"], ["a", "b"], "none",
                           ["a", "c"]])"));
}

TEST_CASE("what is no case of tenants is refused", "[scheduling][vectors]") {
  auto refused = [](auto&& spoil) {
    auto x = small_case().as_object();
    spoil(x);
    CHECK_THROWS_AS(stoker::conformance::admissions(x), std::exception);
  };
  CHECK_NOTHROW(stoker::conformance::admissions(small_case()));
  refused([](auto& x) { x["kind"] = "schedule"; });
  refused([](auto& x) { x["policy"] = {{"hold_afterwards", 1}}; });
  refused([](auto& x) { x["policy"] = {{"hold_after", "1"}}; });
  refused([](auto& x) { x["companies"] = json::array{}; });
  refused([](auto& x) { x["cluster"] = {{"cores", 0}, {"memory_mb", 1}}; });
  refused([](auto& x) { x["events"] = {{{"end", "never"}}}; });
  refused([](auto& x) { x["events"].as_array()[0] = json::object{}; });
  refused([](auto& x) { x.erase("users"); });
}
