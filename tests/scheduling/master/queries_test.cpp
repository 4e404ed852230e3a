// What a Cluster answers without anything happening.

#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain_driver.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

const AppId app_id{"app-19700101000000-0001"};
const DriverId driver{"driver-19700101000000-0001"};

std::optional<OutputPlaceResponse> place_of(const Trace& trace,
                                            const ProgramId& id) {
  return output_place(trace.cluster().state(), about<RequestOutputPlace>(id));
}

std::optional<OutputPlaceResponse> place_of(const Trace& trace, int exec_id) {
  return place_of(trace, ExecutorId{app_id, exec_id});
}

/// Where the first worker is, if it can be asked.
std::optional<EndpointId> holder(const Trace& trace) {
  return find_output_holder(
      trace.cluster().state(),
      trace.cluster().state().workers.all().begin()->second.stored.id);
}

void run(Trace& trace, std::initializer_list<const char*> lines) {
  for (const auto* line : lines)
    (void)trace.run(line);
}

} // namespace

TEST_CASE("an output has a place for as long as anybody remembers",
          "[scheduling]") {
  Trace trace;
  run(trace, {"config retained_applications=1", "elect",
              "worker w1 2 cores 2 GB", "app pi 1 core 512 MB max 1"});
  OutputPlaceResponse at_w1{WorkerId{"w1"}, false, std::nullopt};
  CHECK(place_of(trace, 0) == at_w1);
  CHECK_FALSE(place_of(trace, 1));
  run(trace, {"executor app-1/0 exited 1"});
  CHECK(place_of(trace, 1) == at_w1);
  at_w1.finished = true;
  CHECK(place_of(trace, 0) == at_w1);
  run(trace, {"unregister app-1"});
  CHECK(place_of(trace, 0) == at_w1);
  run(trace, {"app two 1 core 512 MB", "unregister app-2"});
  CHECK_FALSE(place_of(trace, 0));
}

TEST_CASE("input goes to the worker that runs the executor", "[scheduling]") {
  Trace trace;
  run(trace, {"elect", "worker w1 2 cores 2 GB", "app pi 1 core 512 MB max 1"});
  auto reader = [&](const AppId& app, int exec_id, const std::string& worker) {
    return find_input_reader(
        trace.cluster().state(),
        WriteInput{WorkerId{worker}, ExecutorId{app, exec_id}, 0, {}, false});
  };
  auto found = reader(app_id, 0, "w1");
  REQUIRE(found);
  CHECK(*found == holder(trace));
  CHECK(reader(app_id, 1, "w1").code() == Errc::not_found);
  CHECK(reader(app_id, 0, "w2").code() == Errc::not_found);
  CHECK(reader(AppId{"app-9"}, 0, "w1").code() == Errc::not_found);
  // What has ended reads nothing.
  run(trace, {"executor app-1/0 exited 1"});
  CHECK(reader(app_id, 0, "w1").code() == Errc::not_found);
}

TEST_CASE("a worker that is lost is not asked for output", "[scheduling]") {
  Trace trace;
  run(trace, {"elect", "worker w1 2 cores 2 GB", "app pi 1 core 512 MB max 1",
              "at 1s lost w1"});
  // It may come back.
  CHECK(holder(trace) == EndpointId{"w1"});
  run(trace, {"at 2s worker w1 2 cores 2 GB via again"});
  CHECK(holder(trace) == EndpointId{"again"});
  run(trace, {"at 2s report w1", "at 100s tick"});
  CHECK_FALSE(holder(trace));
  CHECK_FALSE(find_output_holder(trace.cluster().state(), WorkerId{"w9"}));
}

TEST_CASE("the output of a driver that waits has no place yet",
          "[scheduling]") {
  Trace trace;
  run(trace, {"elect", "submit d 1 core 512 MB"});
  CHECK(place_of(trace, driver) == OutputPlaceResponse{});
  run(trace, {"worker w1 2 cores 2 GB"});
  OutputPlaceResponse at_w1{WorkerId{"w1"}, false, std::nullopt};
  CHECK(place_of(trace, driver) == at_w1);
  run(trace, {"driver driver-1 finished"});
  at_w1.finished = true;
  CHECK(place_of(trace, driver) == at_w1);
  CHECK_FALSE(place_of(trace, DriverId{"driver-9"}));
  CHECK_FALSE(output_place(trace.cluster().state(), RequestOutputPlace{}));
}

TEST_CASE("a description is known while its application is", "[scheduling]") {
  Trace trace;
  run(trace, {"elect", "app pi 3 cores 512 MB"});
  const auto* description = find_description(trace.cluster().state(), app_id);
  REQUIRE(description != nullptr);
  CHECK(description->cores_per_executor == 3);
  run(trace, {"unregister app-1"});
  CHECK(find_description(trace.cluster().state(), app_id) == nullptr);
}

TEST_CASE("ids carry the date and time of their making", "[scheduling]") {
  CHECK(compact_date(Instant{}) == "19700101000000");
  CHECK(compact_date(Instant{Duration{1795247160999}}) == "20261121074600");
  CHECK(compact_date(Instant{Duration{951782399000}}) == "20000228235959");
  CHECK(compact_date(Instant{Duration{951782400000}}) == "20000229000000");
}

TEST_CASE(
    "until its executors have a size, what an application asks for is told",
    "[scheduling]") {
  StoredApplication x;
  x.description.cores_per_executor = 2;
  x.description.memory_per_executor_mb = 512;
  CHECK(info_of(x).cores_per_executor == 2);
  CHECK(info_of(x).memory_per_executor_mb == 512);
  x.cores_per_executor = 4;
  x.memory_per_executor_mb = 2048;
  CHECK(info_of(x).cores_per_executor == 4);
  CHECK(info_of(x).memory_per_executor_mb == 2048);
}

TEST_CASE("a driver that goes on after its end was ordered says so",
          "[scheduling]") {
  Trace trace;
  run(trace, {"elect", "worker w1 2 cores 2 GB", "submit nap 1 core 512 MB"});
  auto info = [&] {
    return snapshot(trace.cluster().state()).active_drivers.front();
  };
  auto reasons
      = [&] { return explain(trace.cluster().state(), driver).reasons; };
  CHECK_FALSE(info().message);
  CHECK(reasons() == std::vector<std::string>{"it runs on w1"});
  run(trace, {"kill driver-1"});
  CHECK(info().state == DriverState::RUNNING);
  CHECK(info().message == being_ended_text);
  CHECK(reasons()
        == std::vector<std::string>{"it runs on w1", being_ended_text});
  run(trace, {"driver driver-1 killed 143"});
  auto ended = snapshot(trace.cluster().state()).completed_drivers.front();
  CHECK(ended.state == DriverState::KILLED);
  CHECK_FALSE(ended.message);
}

TEST_CASE("a driver that was relaunched is explained by the last one, and has "
          "an output where it ran",
          "[scheduling]") {
  Trace trace;
  run(trace,
      {"elect", "worker w1 2 cores 2 GB", "submit nap 2 cores 512 MB supervise",
       "driver driver-1 running", "lost w1", "at 20s tick",
       "worker w2 2 cores 2 GB", "driver driver-2 error"});
  const DriverId second{"driver-19700101000020-0002"};
  const DriverId third{"driver-19700101000020-0003"};
  auto reason = [&](const DriverId& id) {
    return explain(trace.cluster().state(), id).reasons.back();
  };
  CHECK(reason(driver) == third.value + " waits in its place");
  CHECK(reason(second) == reason(driver));
  CHECK(place_of(trace, driver)
        == OutputPlaceResponse{WorkerId{"w1"}, true, second});
  CHECK(place_of(trace, second)
        == OutputPlaceResponse{std::nullopt, true, third});
  run(trace, {"at 30s tick"});
  CHECK(reason(driver) == third.value + " runs in its place");
  // That it was started is not heard when the connection breaks.
  run(trace, {"driver driver-3 finished"});
  CHECK(place_of(trace, third)
        == OutputPlaceResponse{WorkerId{"w2"}, true, std::nullopt});
  CHECK(reason(driver)
        == third.value + " ran in its place, and has ended as FINISHED");
}
