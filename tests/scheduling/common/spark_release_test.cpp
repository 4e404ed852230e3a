// Which versions of Spark run the same programs.

#include "scheduling/common/spark_release.hpp"

#include <string>
#include <utility>

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("versions of Spark are of one release if two numbers agree",
          "[spark]") {
  const std::pair<const char*, SparkRelease> cases[]{
      {"3.5.9", {3, 5}},
      {"3.5.0", {3, 5}},
      {"4.1.4", {4, 1}},
      {"3.5.10-SNAPSHOT", {3, 5}},
      {"3.5.1.dev0", {3, 5}},
      {"3.3.2.3.3.7190.0-91", {3, 3}},
      {"3.4.1-amzn-2", {3, 4}},
      {"10.20.30", {10, 20}},
      {"3.05.1", {3, 5}},
      {"1.0.0", {1, 0}},
      {"4.1.0-preview_1+2", {4, 1}}};
  for (const auto& [text, release] : cases) {
    INFO(text);
    auto read = spark_release_of(text);
    REQUIRE(read);
    CHECK(*read == release);
  }
  CHECK(SparkRelease{3, 5} < SparkRelease{3, 10});
  CHECK(to_string(SparkRelease{3, 5}) == "Spark 3.5");
}

TEST_CASE("what is no version of Spark is refused in one line", "[spark]") {
  for (const auto* text : {"",
                           "3",
                           "3.5",
                           "3.5.",
                           ".3.5",
                           "3..5",
                           "v3.5.9",
                           "3.5.x",
                           "0.9.2",
                           "-3.5.9",
                           "3.-5.9",
                           "3.5.9 ",
                           " 3.5.9",
                           "3.5.9\n",
                           "3.5.9SNAPSHOT",
                           "3.5.9-a b",
                           "3.5.9/..",
                           "1234567.5.9",
                           "3.99999999999999999999.1",
                           "3.5.9-\xff"}) {
    INFO(text);
    auto read = spark_release_of(text);
    REQUIRE_FALSE(read);
    CHECK(read.code() == Errc::invalid_request);
    CHECK(read.error().message.find('\n') == std::string::npos);
  }
  auto small = spark_release_of(std::string(100'000, '3'));
  REQUIRE_FALSE(small);
  CHECK(small.error().message.size() < 200);
}
