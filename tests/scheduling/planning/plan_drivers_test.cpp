// What the ends of drivers make room for.

#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain.hpp"
#include "scheduling/planning/plan.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

// Drivers hold room, too.
TEST_CASE("an estimate knows how long drivers take", "[plan]") {
  Trace trace{"config master_url=\"m\"",
              "elect",
              "worker w1 2 cores 2 GB",
              "submit d1 2 cores 1 GB by ann",
              "at 60s driver driver-1 finished",
              "submit d2 2 cores 1 GB by ann",
              "app a 1 core 512 MB max 1",
              "app b 1 core 512 MB max 1 of driver-2 by ann"};
  auto state = snapshot(trace.cluster().state());
  REQUIRE(state.active_apps.size() == 2);
  auto why = explain(trace.cluster(), Instant{}, state.active_apps[0].id);
  REQUIRE(why.estimate);
  CHECK(why.estimate->after_driver == state.active_drivers.at(0).id);
  CHECK(why.estimate->in_ms == 60'000);
  CHECK(why.estimate->basis == "the last drivers of ann");
  // It would end with its driver.
  CHECK_FALSE(
      explain(trace.cluster(), Instant{}, state.active_apps[1].id).estimate);
}

TEST_CASE("a plan ends drivers with their applications, and adds others",
          "[plan]") {
  Trace trace{"config master_url=\"m\"", "elect", "worker w1 2 cores 2 GB",
              "submit d1 1 core 1 GB by ann",
              "app a 1 core 512 MB max 1 of driver-1 by ann"};
  RequestPlan request;
  DriverDescription driver;
  driver.user = "ann";
  driver.cores = 2;
  request.add_drivers = {driver};
  auto x = plan(trace.cluster(), {}, request);
  REQUIRE(x.drivers.size() == 1);
  CHECK(x.drivers[0].name == "new-driver-1");
  CHECK(x.drivers[0].state == DriverState::SUBMITTED);
  CHECK_FALSE(x.drivers[0].reason.empty());
  request.end_drivers = {DriverId{"driver-19700101000000-0001"}};
  x = plan(trace.cluster(), {}, request);
  REQUIRE(x.drivers.size() == 2);
  CHECK(x.drivers[0].state == DriverState::FINISHED);
  CHECK(x.drivers[1].state == DriverState::RUNNING);
  CHECK(x.free == Resources{0, 1024});
  request.add_drivers[0].cores = 0;
  x = plan(trace.cluster(), {}, request);
  REQUIRE(x.drivers.size() == 2);
  CHECK(x.drivers[1].driver_id == DriverId{});
  CHECK(x.drivers[1].state == DriverState::ERROR);
  CHECK(x.drivers[1].reason
        == "a driver needs at least 1 core and 1 MB of memory");
}
