// What programs are given in their environment may be secrets: nobody keeps it for
// longer than they may be started.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/master/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

const std::map<std::string, std::string> secret{{"TOKEN", "s3cret"}};

/// A leader; all that it stores.
struct Stored {
  Cluster cluster{[] {
    ClusterConfig config;
    config.master_url = "stoker://m:1";
    config.durable = true;
    return config;
  }()};
  std::optional<StoredApplication> app;
  std::map<DriverId, StoredDriver> drivers;

  Stored() {
    step(ElectedLeader{LeaderEpoch{1}, {}});
  }

  void step(const Event& what) {
    for (const auto& change : cluster.step(Instant{}, what).changes)
      if (const auto* x = std::get_if<StoredApplication>(&change))
        app = *x;
      else if (const auto* y = std::get_if<StoredDriver>(&change))
        drivers[y->id] = *y;
  }
};

} // namespace

TEST_CASE("an application's environment is stored until it ends", "[secrets]") {
  Stored x;
  RegisterApplication y;
  y.driver = EndpointId{"d"};
  y.description.command.arguments = {"run"};
  y.description.command.environment = secret;
  x.step(y);
  REQUIRE(x.app);
  CHECK(x.app->description.command.environment == secret);
  x.step(UnregisterApplication{x.app->id});
  CHECK(x.app->state == ApplicationState::FINISHED);
  CHECK(x.app->description.command.environment.empty());
}

TEST_CASE("options of a JVM are stored until nothing is started with them",
          "[secrets][spark]") {
  const std::vector<std::string> options{"-Dpassword=s3cret"};
  Stored x;
  RegisterApplication y;
  y.driver = EndpointId{"d"};
  y.description.command.spark = SparkProgram{"3.5.9", "Main", {}, {}, options};
  x.step(y);
  REQUIRE(x.app);
  CHECK(x.app->description.command.spark->java_options == options);
  x.step(UnregisterApplication{x.app->id});
  CHECK(x.app->description.command.spark->java_options.empty());
  RequestSubmitDriver z;
  z.driver_description.command = y.description.command;
  x.step(z);
  REQUIRE(x.drivers.size() == 1);
  auto& driver = x.drivers.begin()->second;
  CHECK(driver.description.command.spark->java_options == options);
  x.step(RequestKillDriver{driver.id});
  CHECK(driver.description.command.spark->java_options.empty());
}

TEST_CASE("a driver's environment is stored until it ends, and goes on with it",
          "[secrets]") {
  Stored x;
  x.step(RegisterWorker{WorkerId{"w"}, EndpointId{"w"}, "h", 0, 4, 4096});
  RequestSubmitDriver y;
  y.driver_description.command.arguments = {"drive"};
  y.driver_description.command.environment = secret;
  y.driver_description.supervise = true;
  x.step(y);
  REQUIRE(x.drivers.size() == 1);
  auto first = x.drivers.begin()->first;
  CHECK(x.drivers[first].description.command.environment == secret);
  // It is started elsewhere, as another one.
  x.step(WorkerLeft{WorkerId{"w"}, EndpointId{"w"}});
  REQUIRE(x.drivers[first].relaunched_as);
  auto second = *x.drivers[first].relaunched_as;
  CHECK(x.drivers[first].description.command.environment.empty());
  CHECK(x.drivers[second].description.command.environment == secret);
  x.step(RequestKillDriver{second});
  CHECK(x.drivers[second].description.command.environment.empty());
}
