// Contradictions in what is stored: storage/stored_check.hpp.

#include "storage/stored_check.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

using Findings = std::vector<std::string>;

/// A worker of 8 cores, 8000 MB and two GPUs; an application with an executor
/// that takes half, and a driver with a reservation that take the rest.
StoredState consistent() {
  StoredState x;
  x.counters = {1, 1};
  auto& worker = x.workers.emplace_back();
  worker.id = {"w"};
  worker.cores = 8;
  worker.memory_mb = 8000;
  worker.resources["gpu"] = {"0", "1"};
  x.applications.emplace_back().id = {"app"};
  auto& executor = x.executors.emplace_back();
  executor.app_id = {"app"};
  executor.worker_id = {"w"};
  executor.cores = 4;
  executor.memory_mb = 4000;
  executor.resources["gpu"] = {"0"};
  auto& driver = x.drivers.emplace_back();
  driver.id = {"driver"};
  driver.worker_id = {"w"};
  driver.description.cores = 2;
  driver.description.memory_mb = 2000;
  driver.description.executors = DriverExecutors{1, 2, 2000, {{"gpu", 1}}};
  driver.reservations.push_back({{"w"}, {{"gpu", {"1"}}}});
  return x;
}

} // namespace

TEST_CASE("what a master stores contradicts itself nowhere", "[storage]") {
  auto x = consistent();
  CHECK(find_contradictions(x).empty());
  CHECK(find_contradictions({}).empty());
  SECTION("nor when executors have ended, whose worker may be gone") {
    x.executors[0].ended = from_ms(1);
    x.executors[0].worker_id = {"gone"};
    CHECK(find_contradictions(x).empty());
  }
  SECTION("nor when one has to end after its application") {
    x.executors[0].ending = true;
    x.applications.clear();
    CHECK(find_contradictions(x).empty());
  }
  SECTION("nor when a driver has ended or its worker is lost") {
    x.drivers[0].ended = from_ms(1);
    x.drivers[0].reservations.clear();
    x.drivers.push_back(consistent().drivers[0]);
    x.drivers[1].number = 1;
    x.drivers[1].worker_id = {"gone"};
    x.counters.drivers = 2;
    CHECK(find_contradictions(x).empty());
  }
}

TEST_CASE("each contradiction is a line", "[storage]") {
  auto x = consistent();
  SECTION("an executor of nobody") {
    x.applications.clear();
    CHECK(find_contradictions(x)
          == Findings{"executor app/0: its application is not stored"});
  }
  SECTION("an executor on no worker") {
    x.executors[0].worker_id = {"gone"};
    CHECK(find_contradictions(x)
          == Findings{"executor app/0: its worker gone is not stored"});
  }
  SECTION("more in use than there is") {
    x.workers[0].cores = 7;
    x.workers[0].memory_mb = 7999;
    CHECK(find_contradictions(x)
          == Findings{"worker w: 8 cores are taken of 7",
                      "worker w: 8000 MB are taken of 7999"});
  }
  SECTION("an address that is given twice") {
    x.executors[0].resources["gpu"] = {"1"};
    CHECK(find_contradictions(x)
          == Findings{"reservation of driver driver: has gpu 1 of worker w, "
                      "as executor app/0 has"});
  }
  SECTION("an address that is not there") {
    x.drivers[0].resources["fpga"] = {"a"};
    CHECK(find_contradictions(x)
          == Findings{"driver driver: has fpga a of worker w, which is not "
                      "there"});
  }
  SECTION("a number that will be given again") {
    x.counters.applications = 0;
    CHECK(find_contradictions(x)
          == Findings{"counters: 0 applications are counted, and one has the "
                      "number 0"});
  }
  SECTION("a number that was given twice") {
    x.drivers.push_back(x.drivers[0]);
    x.drivers[1].ended = from_ms(1);
    CHECK(find_contradictions(x)
          == Findings{"driver driver: its number 0 is given twice"});
  }
}
