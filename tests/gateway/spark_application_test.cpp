// How an application of Spark's looks to a master of ours.

#include "gateway/spark_application.hpp"

#include "spark/message_writer.hpp"
#include "spark/version_tables.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// What a driver registers that has these options for the JVM of its executors.
spark::RegisterApplication driver_with(std::vector<std::string> options) {
  spark::RegisterApplication result;
  result.app.command.java_opts = std::move(options);
  result.app.default_profile.executor_resources = {{"memory", 1024}};
  return result;
}

} // namespace

TEST_CASE("settings for tenants stand among the options of executors") {
  struct Row {
    std::vector<std::string> options;
    std::optional<int> cores;
    std::optional<std::int64_t> memory_mb;
  };
  const std::vector<Row> table{
      {{}, {}, {}},
      {{"-Dspark.app.cores.max=6"}, 6, {}},
      {{"-Dspark.app.task.memory.mb=300"}, {}, 300},
      // Spark lets its users write only these.
      {{"-Dstoker.app.cores.max=6", "-Dstoker.app.task.memory.mb=300"}, 6, 300},
      {{"-Dspark.app.cores.max=6", "-Dstoker.app.cores.max=5"}, 5, {}},
      {{"-Dstoker.app.cores.max=5", "-Dspark.app.cores.max=6"}, 6, {}},
      {{"-Dapp.cores.max=6", "-Dspark.app.cores.maximum=6", "-Dstoker.app=6",
        "-Dspark.app.cores.max", "spark.app.cores.max=6"},
       {},
       {}},
  };
  for (const auto& row : table) {
    CAPTURE(row.options);
    auto description = to_description(driver_with(row.options), "3.5.9");
    REQUIRE(description);
    CHECK(description->max_cores == row.cores);
    CHECK(description->memory_per_task_mb == row.memory_mb);
    CHECK(description->memory_per_executor_mb == 1024);
  }
}

TEST_CASE("the smaller limit of a driver's cores counts") {
  auto driver = driver_with({"-Dstoker.app.cores.max=6"});
  driver.app.max_cores = 4;
  CHECK(to_description(driver, "3.5.9")->max_cores == 4);
  driver.app.max_cores = 8;
  CHECK(to_description(driver, "3.5.9")->max_cores == 6);
}

TEST_CASE("a setting for tenants that is no number is refused by its name") {
  for (const auto* name :
       {"spark.app.cores.max", "stoker.app.cores.max",
        "spark.app.task.memory.mb", "stoker.app.task.memory.mb"})
    for (const auto* value : {"", "0", "-1", "many", "1.5", "2 "}) {
      auto setting = std::string{name} + '=' + value;
      CAPTURE(setting);
      auto description = to_description(driver_with({"-D" + setting}), "3.5.9");
      REQUIRE_FALSE(description);
      CHECK(description.error().message
            == std::string{name} + " is '" + value
                   + "', and must be a whole number above 0");
    }
}

TEST_CASE("an application belongs to the driver that its environment names") {
  auto driver = driver_with({});
  CHECK_FALSE(to_description(driver, "3.5.9")->driver_id);
  driver.app.command.environment
      = {{"STOKER_DRIVER_ID", "driver-1"}, {"SPARK_USER", "ann"}};
  auto description = to_description(driver, "3.5.9");
  REQUIRE(description);
  CHECK(description->driver_id == DriverId{"driver-1"});
  CHECK(description->command.environment.size() == 1);
}

TEST_CASE("an application is its Hadoop user's, or else its driver's") {
  using Names = std::vector<std::string>;
  auto driver = driver_with({});
  driver.app.user = "root";
  CHECK(users_of(driver) == Names{"root"});
  driver.app.command.environment["SPARK_USER"] = "";
  CHECK(users_of(driver) == Names{"root"});
  driver.app.command.environment["SPARK_USER"] = "ann";
  CHECK(users_of(driver) == Names{"ann", "root"});
}

TEST_CASE("a driver is told of an end in Spark's words when a signal made it") {
  const auto& version = spark::version_tables().back();
  auto told = [&](const std::string& message) {
    ExecutorUpdated x;
    x.id = 2;
    x.state = ExecutorState::EXITED;
    x.message = message;
    x.exit_status = 137;
    return to_content(version, x, {"127.0.0.1", 7077});
  };
  auto in_sparks_words = [&](const std::string& message) {
    return write(version,
                 spark::ExecutorUpdated{
                     2, spark::ExecutorState::exited, message, 137, {}});
  };
  CHECK(told("command was ended by signal 9")
        == in_sparks_words("Command exited with code 137"));
  CHECK(told("command exited with code 137")
        == in_sparks_words("Command exited with code 137"));
  CHECK(told("command was ended by signal 9: it used too much memory")
        == in_sparks_words(
            "Command exited with code 137: it used too much memory"));
  CHECK(told("killed on request") == in_sparks_words("killed on request"));
}

TEST_CASE("a driver learns the host of a lost executor, not of a leaving one") {
  const auto& table = spark::table_of_version("3.5.9");
  auto content = [&](ExecutorState state, std::optional<std::string> host) {
    ExecutorUpdated x;
    x.id = 1;
    x.state = state;
    x.worker_host = std::move(host);
    return to_content(table, x, {"m", 7077}).value();
  };
  CHECK(content(ExecutorState::DECOMMISSIONED, "h")
        == content(ExecutorState::DECOMMISSIONED, {}));
  CHECK(content(ExecutorState::LOST, "h") != content(ExecutorState::LOST, {}));
}
