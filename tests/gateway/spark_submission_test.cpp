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

TEST_CASE(
    "a submitter that sends no environment states its version in a setting",
    "[gateway]") {
  // What Spark 4.3 leaves of it.
  auto x = submission({{"SPARK_USER", "ann"}, {"SPARK_SCALA_VERSION", "2.13"}});
  auto stated = [&](const std::string& version) {
    x.driver.command.java_opts
        = {"-Dspark.executorEnv.STOKER_SPARK_VERSION=" + version};
    return shown(stated_version(of_spark_4, x));
  };
  CHECK(spark_home_of(x).empty());
  CHECK(user_of(x) == "ann");
  CHECK(shown(stated_version(of_spark_4, x)) == "none");
  CHECK(stated("4.1.4") == "4.1.4 as its settings say");
  CHECK(stated("3.5.9") == "none");
}

TEST_CASE("a submitted driver gets the environment that its submitter sends",
          "[gateway]") {
  auto x = submission({{"SPARK_USER", "ann"}, {"JAVA_HOME", "/opt/java"}});
  x.driver.jar_url = "file:/srv/my.jar";
  auto description = to_description(x, "ann", "4.3.0");
  REQUIRE(description);
  CHECK(description->command.environment == x.driver.command.environment);
  CHECK(description->command.spark->jar == "/srv/my.jar");
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

TEST_CASE("rules of versions know a submitted driver by its user and name",
          "[gateway]") {
  auto x = submission({});
  x.driver.command.main_class = "org.apache.spark.deploy.worker.DriverWrapper";
  x.driver.command.arguments
      = {"{{WORKER_URL}}", "{{USER_JAR}}", "com.ann.Sums"};
  auto names = names_of(x, "ann");
  CHECK(names.user == "ann");
  CHECK(names.company.empty());
  CHECK(names.app == "com.ann.Sums");
  x.driver.command.java_opts = {"-Xmx1g", "-Dspark.app.name=NIGHTLY sums"};
  CHECK(names_of(x, "ann").app == "NIGHTLY sums");
  auto version = [&](const std::string& rule) {
    return assume_version({*parse_version_rule(rule)}, names_of(x, "ann"),
                          of_spark_4);
  };
  CHECK(version("app:NIGHTLY*=4.0.5").version == "4.0.5");
  CHECK(version("app:NIGHTLY*=4.0.5").is_by_rule);
  CHECK(version("user:ben=4.0.5").version == "4.3.0");
  CHECK_FALSE(version("user:ben=4.0.5").is_by_rule);
  CHECK_FALSE(version("user:ann=3.5.9").is_by_rule);
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
