// What is told to workers is what Spark's own master has told them.

#include "spark/worker_messages.hpp"

#include <boost/json.hpp>

#include "spark/descriptions.hpp"
#include "spark/java_reader.hpp"
#include "tests/spark/written_content.hpp"

using namespace stoker::spark;
using namespace stoker::spark::test;

namespace {

const RpcAddress this_master{"127.0.0.1", 7077};
const std::string master_url{"spark://127.0.0.1:7077"};

/// A part of a recorded message, as it is read.
template <class T>
T part_of(std::string_view content, const char* field,
          T (*read)(const FieldReader&)) {
  stoker::spark::JavaGraph graph;
  auto root = read_java(graph, content);
  REQUIRE(root);
  ScalaReader in{graph};
  return read(FieldReader{in, *root, "a message"}.object(field));
}

/// The same without what a worker does not read: the settings of tasks, and what of an
/// application is for its driver.
boost::json::value essence_of(std::string_view content) {
  auto result = boost::json::parse(fields_of(content));
  auto& app = result.at("appDesc").as_object();
  for (const auto* field :
       {"eventLogDir", "eventLogCodec", "initialExecutorLimit"})
    app.erase(field);
  auto& profile = app.at("defaultProfile").as_object();
  for (const auto* field : {"taskResources", "_executorResourceSlotsPerAddr",
                            "_limitingResource", "_maxTasksPerExecutor"})
    profile.erase(field);
  return result;
}

} // namespace

TEST_CASE("orders to workers of Spark are the bytes of Spark's master",
          "[spark]") {
  struct Session {
    const char* version;
    const char* app;
    const char* driver;
    const char* decommission;
    const char* kill_driver;
  };
  auto x = GENERATE(Session{"3.5.9", "app-20261121061713-0000",
                            "driver-20261121063320-0003", "047", "063"},
                    Session{"4.1.4", "app-20261121062345-0000",
                            "driver-20261121063815-0003", "046", "064"});
  const auto& form = table(x.version);
  auto recorded_as
      = [&](const char* number) { return recorded_content(x.version, number); };
  CHECK(
      (write(form, KillExecutor{master_url, x.app, 0}) == recorded_as("019")));
  CHECK((write(form, ApplicationFinished{x.app}) == recorded_as("020")));
  CHECK((write(form, ReconnectWorker{master_url}) == recorded_as("043")));
  CHECK((write(form, DecommissionWorker{}) == recorded_as(x.decommission)));
  CHECK((write(form, KillDriver{x.driver}) == recorded_as(x.kill_driver)));
  CHECK(fields_of(
            write(form, RegisteredWorker{this_master, "http://127.0.0.1:8080",
                                         this_master, false}))
        == fields_of(recorded_as("004")));
}

TEST_CASE("an executor is ordered of workers as Spark's master does it",
          "[spark]") {
  struct Session {
    const char* version;
    const char* app;
    const char* launch;
  };
  auto x = GENERATE(Session{"3.5.9", "app-20261121061713-0000", "011"},
                    Session{"4.1.4", "app-20261121062345-0000", "012"});
  auto content = recorded_content(x.version, x.launch);
  auto app = part_of(content, "appDesc", read_application);
  CHECK(app.command.arguments.size() > 5);
  auto written = write(table(x.version),
                       LaunchExecutor{master_url, x.app, 0, app, 2, 600, {}});
  CHECK(essence_of(written) == essence_of(content));
}

TEST_CASE("a driver is ordered of workers as Spark's master does it",
          "[spark]") {
  struct Session {
    const char* version;
    const char* launch;
  };
  auto x = GENERATE(Session{"3.5.9", "051"}, Session{"4.1.4", "050"});
  auto content = recorded_content(x.version, x.launch);
  auto id = boost::json::parse(fields_of(content)).at("driverId").as_string();
  auto written = write(table(x.version),
                       LaunchDriver{std::string{id},
                                    part_of(content, "driverDesc", read_driver),
                                    {}});
  CHECK(boost::json::parse(fields_of(written))
        == boost::json::parse(fields_of(content)));
}

TEST_CASE("named resources are told to workers of Spark", "[spark]") {
  auto version = GENERATE("3.3.4", "3.5.9", "4.3.0");
  LaunchExecutor x;
  x.resources = {{"fpga", {"f1"}}, {"gpu", {"0", "3"}}};
  auto fields = boost::json::parse(fields_of(write(table(version), x)));
  const auto& resources = fields.at("resources");
  CHECK(resources.at("gpu").at("name") == "gpu");
  CHECK(resources.at("gpu").at("addresses") == boost::json::array{"0", "3"});
  CHECK(resources.at("fpga").at("addresses") == boost::json::array{"f1"});
}

TEST_CASE("every table can write every order", "[spark]") {
  for (const auto& form : version_tables()) {
    CAPTURE(form.version());
    LaunchExecutor launch;
    launch.app.command.environment = {{"A", "1"}, {"B", "2"}};
    launch.resources = {{"gpu", {"0"}}};
    CHECK_NOTHROW(write(form, launch));
    launch.without_profile = true;
    CHECK_NOTHROW(write(form, launch));
    LaunchDriver driver;
    driver.driver.resources = {{"gpu", 1, 1}};
    CHECK_NOTHROW(write(form, driver));
    CHECK_NOTHROW(write(form, RegisteredWorker{this_master, {}, this_master}));
    CHECK_NOTHROW(write(form, RegisterWorkerFailed{"x"}));
    CHECK_NOTHROW(write(form, MasterInStandby{}));
    CHECK_NOTHROW(write(form, ReconnectWorker{master_url}));
    CHECK_NOTHROW(write(form, KillExecutor{master_url, "app-1", 1}));
    CHECK_NOTHROW(write(form, ApplicationFinished{"app-1"}));
    CHECK_NOTHROW(write(form, KillDriver{"driver-1"}));
    CHECK_NOTHROW(write(form, DecommissionWorker{}));
  }
}
