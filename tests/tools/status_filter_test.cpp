// Which parts of a cluster's state are shown: tools/stoker/status_filter.hpp.

#include "tools/stoker/status_filter.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

DriverInfo driver(const char* id, DriverState state) {
  DriverInfo result;
  result.id = DriverId{id};
  result.state = state;
  return result;
}

} // namespace

TEST_CASE("status shows the last start when the first id of a driver is asked "
          "for",
          "[text]") {
  MasterStateResponse state;
  state.completed_drivers.push_back(driver("d1", DriverState::RELAUNCHING));
  state.completed_drivers.front().relaunched_as = DriverId{"d2"};
  StatusFilter wanted;
  wanted.driver_id = DriverId{"d1"};
  SECTION("it runs") {
    state.active_drivers.push_back(driver("d2", DriverState::RUNNING));
    filter(state, wanted, false);
    CHECK(state.completed_drivers.empty());
    // The last start is shown under its own id, too.
    REQUIRE(state.active_drivers.size() == 2);
    CHECK(state.active_drivers.back().id == wanted.driver_id);
    CHECK(state.active_drivers.back().state == DriverState::RUNNING);
  }
  SECTION("it has ended") {
    state.completed_drivers.push_back(driver("d2", DriverState::FAILED));
    state.completed_drivers.back().ended_ms = 1;
    state.completed_drivers.back().exit_status = 3;
    filter(state, wanted, false);
    CHECK(state.active_drivers.empty());
    REQUIRE(state.completed_drivers.size() == 2);
    CHECK(state.completed_drivers.back().id == wanted.driver_id);
    CHECK(state.completed_drivers.back().exit_status == 3);
  }
}
