// Of which version those are who submit drivers.

#include "gateway/spark_submission.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

using Tables = std::vector<const spark::VersionTable*>;

/// Those that look the same to who submits with Spark 4.
Tables tables_of_spark_4() {
  return {&spark::table_of_version("4.3.0"), &spark::table_of_version("4.1.4"),
          &spark::table_of_version("4.0.5")};
}

/// What is said, and by whom.
std::string stated(const std::map<std::string, std::string>& environment) {
  spark::RequestSubmitDriver x;
  x.driver.command.environment = environment;
  auto version_of_home
      = [](const std::string& home) -> std::optional<std::string> {
    if (home == "/opt/spark-4.1.2")
      return "4.1.2";
    if (home == "/opt/spark-3.5.9")
      return "3.5.9";
    return std::nullopt;
  };
  auto result = stated_version(tables_of_spark_4(), x, version_of_home);
  return result ? result->version + ' ' + result->why : "none";
}

} // namespace

TEST_CASE("who submits says his version, or his SPARK_HOME does", "[gateway]") {
  CHECK(stated({}) == "none");
  CHECK(stated({{"SPARK_HOME", "/opt/spark-4.1.2"}})
        == "4.1.2 as its SPARK_HOME has");
  CHECK(stated({{"SPARK_HOME", "/opt/spark-4.1.2"},
                {"STOKER_SPARK_VERSION", "4.0.1"}})
        == "4.0.1 as its environment says");
  // What cannot be does not count.
  CHECK(stated({{"SPARK_HOME", "/opt/spark-3.5.9"}}) == "none");
  CHECK(stated({{"SPARK_HOME", "/nowhere"}}) == "none");
  CHECK(stated({{"STOKER_SPARK_VERSION", "newest"}}) == "none");
  CHECK(stated({{"STOKER_SPARK_VERSION", "3.5.9"}}) == "none");
}

TEST_CASE("who says no version has the newest that a worker has", "[gateway]") {
  auto assumed = [](const std::vector<std::string>& of_workers) {
    return assumed_version(tables_of_spark_4(), of_workers).version;
  };
  CHECK(assumed({}) == "4.3.0");
  CHECK(assumed({"3.5.9"}) == "4.3.0");
  CHECK(assumed({"3.5.9", "4.0.5", "4.1.2"}) == "4.1.2");
  CHECK(assumed({"4.1.4", "4.3.0"}) == "4.3.0");
}
