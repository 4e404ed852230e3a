// Of which version those are who submit drivers.

#include "gateway/spark_submission.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// Those that look the same to who submits with Spark 4.
const std::vector<std::string> of_spark_4{"4.3.0", "4.1.4", "4.0.5"};

spark::RequestSubmitDriver
submission(const std::map<std::string, std::string>& environment) {
  spark::RequestSubmitDriver result;
  result.driver.command.environment = environment;
  return result;
}

std::string shown(const std::optional<SubmitterVersion>& x) {
  return x ? x->version + ' ' + x->why : "none";
}

} // namespace

TEST_CASE("who submits may say his version", "[gateway]") {
  auto stated = [](const std::string& version) {
    return shown(stated_version(
        of_spark_4, submission({{"STOKER_SPARK_VERSION", version}})));
  };
  CHECK(shown(stated_version(of_spark_4, submission({}))) == "none");
  CHECK(stated("4.0.1") == "4.0.1 as its environment says");
  // What cannot be does not count.
  CHECK(stated("newest") == "none");
  CHECK(stated("3.5.9") == "none");
}

TEST_CASE("who submits has the version of his SPARK_HOME", "[gateway]") {
  CHECK(spark_home_of(submission({{"SPARK_HOME", "/opt/spark"}}))
        == "/opt/spark");
  CHECK(spark_home_of(submission({})).empty());
  CHECK(shown(version_at_home(of_spark_4, "4.1.2"))
        == "4.1.2 as its SPARK_HOME has");
  CHECK(shown(version_at_home(of_spark_4, "3.5.9")) == "none");
  CHECK(shown(version_at_home(of_spark_4, "")) == "none");
}

TEST_CASE("who says no version has the newest that a worker has", "[gateway]") {
  auto assumed = [](const std::vector<std::string>& of_workers) {
    return assumed_version(of_spark_4, of_workers).version;
  };
  CHECK(assumed({}) == "4.3.0");
  CHECK(assumed({"3.5.9"}) == "4.3.0");
  CHECK(assumed({"3.5.9", "4.0.5", "4.1.2"}) == "4.1.2");
  CHECK(assumed({"4.1.4", "4.3.0"}) == "4.3.0");
}
