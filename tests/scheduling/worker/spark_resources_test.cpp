// How programs of Spark's hear of named resources.

#include "scheduling/worker/spark_resources.hpp"

#include <algorithm>

#include "tests/scheduling/worker/played_worker.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using stoker::test::PlayedWorker;

namespace {

const ResourceAddresses a_gpu{{"gpu", {"1"}}};

WorkerConfig worker_with_spark() {
  auto result = stoker::test::traced_worker();
  result.spark_homes
      = {{"/opt/spark", "3.5.9", "/usr/bin/java", "/opt/spark/conf", ""}};
  return result;
}

Command jvm() {
  Command result;
  result.arguments = {"Main"};
  result.spark = SparkProgram{"3.5.9", "Backend", {}, {}, {"-Dmine=1"}};
  return result;
}

LaunchExecutor executor_with(ResourceAddresses resources) {
  LaunchExecutor result;
  result.app_id = AppId{"app-7"};
  result.exec_id = 3;
  result.cores = 1;
  result.memory_mb = 512;
  result.app_desc.command = jvm();
  result.resources = std::move(resources);
  return result;
}

LaunchDriver driver_with(ResourceAddresses resources) {
  LaunchDriver result;
  result.driver_id = DriverId{"driver-1"};
  result.driver_desc.memory_mb = 512;
  result.driver_desc.command = jvm();
  result.resources = std::move(resources);
  return result;
}

/// The program that `order` has a worker start.
template <class Order>
StartProcess started_by(const Order& order) {
  PlayedWorker worker{worker_with_spark()};
  worker.start_registered({});
  for (const auto& effect : worker.step({}, order))
    if (const auto* x = std::get_if<StartProcess>(&effect))
      return *x;
  FAIL("nothing was started");
  return {};
}

bool mentions_resources(const Command& x) {
  return std::any_of(x.arguments.begin(), x.arguments.end(), [](const auto& y) {
    return y.find("resources") != std::string::npos;
  });
}

} // namespace

TEST_CASE("resources are told in the form that Spark reads", "[resources]") {
  struct Row {
    ResourceAddresses resources;
    std::string text;
  };
  const std::vector<Row> table{
      {{}, "[]"},
      {{{"gpu", {"0", "1"}}},
       R"([{"id":{"componentName":"spark.executor","resourceName":"gpu"},)"
       R"("addresses":["0","1"]}])"},
      {{{"fpga", {"a:b"}}, {"gpu", {"3"}}},
       R"([{"id":{"componentName":"spark.executor","resourceName":"fpga"},)"
       R"("addresses":["a:b"]},)"
       R"({"id":{"componentName":"spark.executor","resourceName":"gpu"},)"
       R"("addresses":["3"]}])"},
      {{{"x", {"a\"b\\c\nd"}}},
       R"([{"id":{"componentName":"spark.executor","resourceName":"x"},)"
       R"("addresses":["a\"b\\c\u000ad"]}])"},
  };
  for (const auto& row : table)
    CHECK(spark_resources_text("spark.executor", row.resources) == row.text);
}

TEST_CASE("an executor of Spark's is told where its resources are named",
          "[resources]") {
  auto started = started_by(executor_with(a_gpu));
  auto file = started.program_directory + "/spark-resources.json";
  const auto& arguments = started.command.arguments;
  REQUIRE(arguments.size() > 3);
  CHECK(
      std::vector(arguments.end() - 4, arguments.end())
      == std::vector<std::string>{"Backend", "Main", "--resourcesFile", file});
  CHECK(started.files
        == std::map<std::string, std::string>{
            {"spark-resources.json",
             spark_resources_text("spark.executor", a_gpu)}});
}

TEST_CASE("a driver of Spark's is told where its resources are named",
          "[resources]") {
  auto started = started_by(driver_with(a_gpu));
  auto option = "-Dspark.driver.resourcesFile=" + started.program_directory
                + "/spark-resources.json";
  const auto& arguments = started.command.arguments;
  REQUIRE(arguments.size() > 4);
  CHECK(std::vector(arguments.end() - 5, arguments.end())
        == std::vector<std::string>{
            "-Dmine=1", "-Dspark.executorEnv.STOKER_DRIVER_ID=driver-1", option,
            "Backend", "Main"});
  CHECK(started.files
        == std::map<std::string, std::string>{
            {"spark-resources.json",
             spark_resources_text("spark.driver", a_gpu)}});
}

TEST_CASE("only programs of Spark's with resources have a file of them",
          "[resources]") {
  auto executor = started_by(executor_with({}));
  CHECK_FALSE(mentions_resources(executor.command));
  CHECK(executor.files.empty());
  auto driver = started_by(driver_with({}));
  CHECK_FALSE(mentions_resources(driver.command));
  CHECK(driver.files.empty());
  auto order = executor_with(a_gpu);
  order.app_desc.command.spark.reset();
  auto other = started_by(order);
  CHECK_FALSE(mentions_resources(other.command));
  CHECK(other.files.empty());
}

TEST_CASE("programs of Spark's see all GPUs, as those that they name are their "
          "machine's",
          "[resources]") {
  auto order = executor_with(a_gpu);
  auto environment = started_by(order).command.environment;
  CHECK(environment.at("STOKER_RESOURCE_GPU") == "1");
  CHECK_FALSE(environment.contains("CUDA_VISIBLE_DEVICES"));
  order.app_desc.command.spark.reset();
  CHECK(started_by(order).command.environment.at("CUDA_VISIBLE_DEVICES")
        == "1");
}
