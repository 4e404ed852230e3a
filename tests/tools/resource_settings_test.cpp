// Settings with the name of a resource in their names: embedding/settings.hpp.

#include "embedding/settings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/problem.hpp"

using namespace stoker;

namespace {

template <class... Targets>
std::string apply(const std::string& name, const std::string& value,
                  Targets&... targets) {
  return test::problem_in(
      apply_settings({{name, value, "--conf"}}, targets...));
}

std::string unknown(const std::string& name) {
  return "--conf: " + name + " is not a setting of this command";
}

} // namespace

TEST_CASE("the resources of a worker's machine are set by name", "[settings]") {
  const std::string prefix = "spark.worker.resource.";
  ResourceDiscovery x;
  auto check = [&](auto& config) {
    CHECK(apply(prefix + "gpu.amount", "2", config, x) == "");
    CHECK(apply(prefix + "gpu.discoveryScript", "/a/script", config, x) == "");
    CHECK(apply(prefix + "fpga.amount", "1", config, x) == "");
    CHECK(apply("spark.worker.resourcesFile", "/a/file", config, x) == "");
  };
  SECTION("of a worker") {
    WorkerConfig config;
    check(config);
  }
  SECTION("of a cluster in one process") {
    LocalClusterConfig config;
    check(config);
  }
  REQUIRE(x.kinds.size() == 2);
  CHECK(x.kinds.at("gpu").amount == 2);
  CHECK(x.kinds.at("gpu").script == "/a/script");
  CHECK_FALSE(x.kinds.at("gpu").addresses);
  CHECK(x.kinds.at("fpga").amount == 1);
  CHECK(x.kinds.at("fpga").script.empty());
  CHECK(x.file == "/a/file");
}

TEST_CASE("what an executor needs is set by name", "[settings]") {
  ApplicationDescription x;
  CHECK(apply("spark.executor.resource.gpu.amount", "2", x) == "");
  CHECK(apply("spark.executor.resource.fpga.amount", "1", x) == "");
  CHECK(x.resources_per_executor == ResourceAmounts{{"gpu", 2}, {"fpga", 1}});
}

TEST_CASE("what a driver needs is set by name", "[settings]") {
  DriverDescription x;
  CHECK(apply("spark.driver.resource.gpu.amount", "2", x) == "");
  CHECK(x.resources == ResourceAmounts{{"gpu", 2}});
}

TEST_CASE("an amount that is no number is refused", "[settings]") {
  ApplicationDescription app;
  CHECK(apply("spark.executor.resource.gpu.amount", "two", app)
        == "--conf: spark.executor.resource.gpu.amount is 'two', which is not "
           "a whole number");
  ResourceDiscovery discovery;
  WorkerConfig worker;
  CHECK(apply("spark.worker.resource.gpu.amount", "0.5", worker, discovery)
        == "--conf: spark.worker.resource.gpu.amount is '0.5', which is not a "
           "whole number");
}

TEST_CASE("other words about resources are refused, not ignored",
          "[settings]") {
  auto end = GENERATE(as<std::string>{}, "gpu.vendor", "gpu", "amount",
                      ".amount", "gpu.", "gpu.Amount", "");
  ApplicationDescription app;
  DriverDescription driver;
  WorkerConfig worker;
  ClusterConfig master;
  MasterStorage storage;
  PageSettings pages;
  ResourceDiscovery discovery;
  auto name = "spark.executor.resource." + end;
  CHECK(apply(name, "1", app) == unknown(name));
  name = "spark.driver.resource." + end;
  CHECK(apply(name, "1", driver) == unknown(name));
  name = "spark.worker.resource." + end;
  CHECK(apply(name, "1", worker, discovery) == unknown(name));
  CHECK(apply(name, "1", master, storage, pages) == unknown(name));
  // A script finds what a machine has, not what an application needs.
  name = "spark.executor.resource.gpu.discoveryScript";
  CHECK(apply(name, "/a/script", app) == unknown(name));
  CHECK(discovery.kinds.empty());
}

TEST_CASE("each part takes its own resources only", "[settings]") {
  ApplicationDescription app;
  DriverDescription driver;
  const std::string of_driver = "spark.driver.resource.gpu.amount";
  const std::string of_executor = "spark.executor.resource.gpu.amount";
  CHECK(apply(of_driver, "1", app) == unknown(of_driver));
  CHECK(apply(of_executor, "1", driver) == unknown(of_executor));
}
