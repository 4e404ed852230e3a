// Stoker places executors where Spark's master does.

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

#include <boost/json.hpp>

#include "tests/scheduling/master/naive_pass.hpp"
#include "tests/scheduling/master/random_case.hpp"
#include "tests/support/catch.hpp"
#include "tools/conformance/placement_cases.hpp"

using namespace stoker::test;

namespace {

/// The recorded cases, computed by Spark 3.5.9, one to a line.
template <class Visitor>
int for_each_case(Visitor&& visit) {
  std::ifstream in{STOKER_TEST_DATA "/vectors/placement.jsonl"};
  int count = 0;
  for (std::string line; std::getline(in, line); ++count)
    visit(line, boost::json::parse(line));
  return count;
}

/// What stands where two texts part, since both are long.
std::string difference(const std::string& actual, const std::string& expected) {
  if (actual == expected)
    return {};
  auto [i, j] = std::mismatch(actual.begin(), actual.end(), expected.begin(),
                              expected.end());
  auto at = static_cast<std::size_t>(i - actual.begin());
  auto from = at - std::min<std::size_t>(at, 200);
  return "actual:   ..." + actual.substr(from, 300) + "\nexpected: ..."
         + expected.substr(from, 300);
}

} // namespace

TEST_CASE("placements are those of Spark's master", "[scheduling][vectors]") {
  auto count = for_each_case([](const auto& line, const auto& original) {
    INFO(line.substr(0, line.find(',')));
    // As text, since the order of keys tells the order of launches.
    CHECK(difference(
              boost::json::serialize(stoker::conformance::complete(original)),
              boost::json::serialize(original))
          == "");
  });
  CHECK(count == 410);
}

TEST_CASE("the naive pass is Spark's as well", "[scheduling][vectors]") {
  // Lends its authority to the random cases below.
  for_each_case([](const auto& line, const auto& original) {
    if (original.at("kind") != "schedule")
      return;
    INFO(line.substr(0, line.find(',')));
    CHECK(difference(boost::json::serialize(complete_naively(original)),
                     boost::json::serialize(original))
          == "");
  });
}

// Goal: the index of free cores, and the short cut that looks at no more
// workers than can be needed, change nothing about who gets what. Method:
// random cases of up to some thirty workers and several passes, against the
// naive pass.
TEST_CASE("the indexed pass places as the naive pass does",
          "[scheduling][random]") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    auto original = random_case(seed);
    auto actual
        = boost::json::serialize(stoker::conformance::complete(original));
    auto expected = boost::json::serialize(complete_naively(original));
    INFO("seed " << seed);
    REQUIRE(difference(actual, expected) == "");
  }
}

TEST_CASE("a case of an unknown kind is refused", "[scheduling][vectors]") {
  CHECK_THROWS_AS(
      stoker::conformance::complete(boost::json::parse(R"({"kind": "drive"})")),
      std::invalid_argument);
}
