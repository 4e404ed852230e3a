// A driver that was started again elsewhere is described by its last start.

#include "messages/last_start.hpp"

#include <map>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

DriverInfo driver(const std::string& id, DriverState state,
                  const char* next = nullptr) {
  DriverInfo result;
  result.id = DriverId{id};
  result.state = state;
  if (next != nullptr)
    result.relaunched_as = DriverId{next};
  result.submitted_ms = 1;
  return result;
}

} // namespace

TEST_CASE("a driver is described by its last start when it was started again",
          "[messages]") {
  std::map<DriverId, DriverInfo> known;
  for (auto x : {driver("d1", DriverState::RELAUNCHING, "d2"),
                 driver("d2", DriverState::RELAUNCHING, "d3"),
                 driver("d3", DriverState::FAILED)})
    known[x.id] = x;
  known[DriverId{"d3"}].exit_status = 3;
  known[DriverId{"d3"}].submitted_ms = 2;
  auto find = [&](const DriverId& id) {
    auto i = known.find(id);
    return i == known.end() ? std::nullopt : std::optional{i->second};
  };
  auto x = by_last_start(known.at(DriverId{"d1"}), find);
  CHECK(x.id == DriverId{"d1"});
  CHECK(x.relaunched_as == DriverId{"d2"});
  CHECK(x.state == DriverState::FAILED);
  CHECK(x.exit_status == 3);
  CHECK(x.submitted_ms == 1);
  // The last one that is kept.
  known.erase(DriverId{"d3"});
  x = by_last_start(known.at(DriverId{"d1"}), find);
  CHECK(x.state == DriverState::RELAUNCHING);
  CHECK(x.relaunched_as == DriverId{"d2"});
}
