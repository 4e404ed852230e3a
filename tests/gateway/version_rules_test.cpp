// What an administrator says of drivers that do not say their version.

#include "gateway/version_rules.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

using Texts = std::vector<std::string>;

std::vector<VersionRule> rules_of(const Texts& texts) {
  std::vector<VersionRule> result;
  for (const auto& text : texts) {
    auto rule = parse_version_rule(text);
    INFO(text);
    REQUIRE(rule);
    result.push_back(*rule);
  }
  return result;
}

Texts written(const std::vector<VersionRule>& rules) {
  Texts result;
  for (const auto& x : rules)
    result.push_back(to_string(x));
  return result;
}

const DriverNames nightly_of_ann{"ann", "first", "NIGHTLY sums"};

/// What Spark 3.4 and 3.5 have in common.
const Texts either{"3.5.9", "3.4.4"};

} // namespace

TEST_CASE("a rule is read as it is written") {
  CHECK(written(rules_of({"user:ann=3.4.4", "company:first=4.0.5",
                          "app:NIGHTLY*=3.5.9", "app:a:b=c=3.5.9",
                          "app:two words=4.1.4-SNAPSHOT", " user:*=3.5.9 "}))
        == Texts{"user:ann=3.4.4", "company:first=4.0.5", "app:NIGHTLY*=3.5.9",
                 "app:a:b=c=3.5.9", "app:two words=4.1.4-SNAPSHOT",
                 "user:*=3.5.9"});
}

TEST_CASE("what is no rule is refused with what one looks like") {
  for (const auto* text :
       {"", "ann", "user:ann", "ann=3.4.4", "user:=3.4.4", "group:ann=3.4.4",
        ":ann=3.4.4", "user:ann=", "user:ann=3.4", "user:ann=newest",
        "user=3.4.4:ann", "User:ann=3.4.4"}) {
    INFO(text);
    auto rule = parse_version_rule(text);
    REQUIRE_FALSE(rule);
    CHECK(rule.code() == Errc::invalid_request);
    CHECK(rule.error().message
          == "'" + std::string{text}
                 + "' is no rule; one looks like user:ann=3.4.4, "
                   "company:NAME=4.0.5 or app:NIGHTLY*=3.5.9");
  }
}

TEST_CASE("the first rule about a driver says its version") {
  struct Row {
    Texts rules;
    std::string version;
    std::string why;
  };
  const std::string newest{"but 3.4.4 look the same: "
                           "spark.executorEnv.STOKER_SPARK_VERSION would say "
                           "which"};
  const std::vector<Row> table{
      {{}, "3.5.9", newest},
      {{"user:ben=3.4.4"}, "3.5.9", newest},
      {{"user:an=3.4.4"}, "3.5.9", newest},
      {{"user:ann=3.4.4"}, "3.4.4", "as the rule user:ann=3.4.4 says"},
      {{"company:first=3.4.4"},
       "3.4.4",
       "as the rule company:first=3.4.4 says"},
      {{"app:NIGHTLY*=3.4.4"}, "3.4.4", "as the rule app:NIGHTLY*=3.4.4 says"},
      {{"app:nightly*=3.4.4"}, "3.5.9", newest},
      {{"user:a?n=3.4.4"}, "3.4.4", "as the rule user:a?n=3.4.4 says"},
      {{"user:[a-c]nn=3.4.4"}, "3.4.4", "as the rule user:[a-c]nn=3.4.4 says"},
      {{"app:ann=3.4.4", "user:*=3.5.9", "user:ann=3.4.4"},
       "3.5.9",
       "as the rule user:*=3.5.9 says"},
      // Messages do not tell patch levels apart.
      {{"user:ann=3.4.1"}, "3.4.1", "as the rule user:ann=3.4.1 says"},
  };
  for (const auto& row : table) {
    CAPTURE(row.rules);
    auto assumed = assume_version(rules_of(row.rules), nightly_of_ann, either);
    CHECK(assumed.version == row.version);
    CHECK(assumed.why == row.why);
    CHECK(assumed.ignored.empty());
  }
}

TEST_CASE("a rule does not count against what a driver's messages say") {
  struct Row {
    Texts rules;
    Texts versions;
    std::string version;
    Texts ignored;
  };
  const std::vector<Row> table{
      {{"user:ann=4.1.4"}, either, "3.5.9", {"user:ann=4.1.4"}},
      {{"user:ann=3.4.4"}, {"4.1.4"}, "4.1.4", {"user:ann=3.4.4"}},
      {{"user:ann=3.6.0", "company:*=4.1.4", "app:*=3.4.4", "user:*=4.0.5"},
       either,
       "3.4.4",
       {"user:ann=3.6.0", "company:*=4.1.4"}},
      {{"user:ben=4.1.4"}, either, "3.5.9", {}},
  };
  for (const auto& row : table) {
    CAPTURE(row.rules);
    auto assumed
        = assume_version(rules_of(row.rules), nightly_of_ann, row.versions);
    CHECK(assumed.version == row.version);
    CHECK(written(assumed.ignored) == row.ignored);
  }
}

TEST_CASE("no rule about companies is about a user who has none") {
  auto rules = rules_of({"company:*=3.4.4"});
  CHECK(name_companies(rules));
  CHECK_FALSE(name_companies(rules_of({"user:*=3.4.4", "app:*=3.4.4"})));
  CHECK(assume_version(rules, {"ann", "", "sums"}, either).version == "3.5.9");
}
