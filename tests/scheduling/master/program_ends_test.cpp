// How programs have ended, for those who wait: scheduling/master/program_ends.hpp.

#include "scheduling/master/program_ends.hpp"

#include <initializer_list>
#include <string>

#include "scheduling/master/invariants.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

const AppId first_app{"app-19700101000000-0001"};
const DriverId first_driver{"driver-19700101000000-0001"};

void follow(Trace& trace, std::initializer_list<const char*> lines) {
  for (const auto* line : lines)
    (void)trace.run(line);
}

ProgramEnd end_of(const Trace& trace, const RequestEnds& request) {
  return program_ends(trace.cluster().state(), request).ends.at(0);
}

bool over(const Trace& trace, const RequestEnds& request) {
  return all_have_ended(trace.cluster().state(), request);
}

} // namespace

TEST_CASE("an application has ended when it has left, and well if nothing "
          "failed",
          "[scheduling]") {
  Trace trace;
  follow(trace, {"elect", "worker w1 2 cores 2 GB",
                 "app job 1 core 512 MB instances 2"});
  RequestEnds request{{first_app}, {}, 0};
  CHECK_FALSE(over(trace, request));
  CHECK_FALSE(end_of(trace, request).ended);
  CHECK(end_of(trace, request).state == "RUNNING");

  SECTION("well") {
    follow(trace, {"executor app-1/0 exited 0", "executor app-1/1 exited 0",
                   "unregister app-1"});
    auto end = end_of(trace, request);
    CHECK(over(trace, request));
    CHECK(end.ended);
    CHECK(end.succeeded);
    CHECK_FALSE(end.exit_status);
  }
  SECTION("with the command that failed") {
    follow(trace, {"executor app-1/1 exited 7"});
    CHECK_FALSE(over(trace, request));
    CHECK_FALSE(end_of(trace, request).ended);
    // It was told to end.
    follow(trace, {"executor app-1/0 killed"});
    auto end = end_of(trace, request);
    CHECK(over(trace, request));
    CHECK(end.ended);
    CHECK_FALSE(end.succeeded);
    CHECK(end.state == "FAILED");
    CHECK(end.exit_status == 7);
  }
  SECTION("killed: no command is to blame") {
    follow(trace, {"kill app-1", "executor app-1/0 killed"});
    CHECK_FALSE(over(trace, request));
    follow(trace, {"executor app-1/1 killed"});
    auto end = end_of(trace, request);
    CHECK(end.ended);
    CHECK(end.state == "KILLED");
    CHECK_FALSE(end.exit_status);
  }
}

TEST_CASE("what nobody knows is not waited for", "[scheduling]") {
  Trace trace;
  follow(trace, {"elect"});
  RequestEnds request{{AppId{"app-1"}}, {DriverId{"driver-1"}}, 0};
  CHECK(over(trace, request));
  auto ends = program_ends(trace.cluster().state(), request).ends;
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].id == "app-1");
  CHECK_FALSE(ends[0].state);
  CHECK(ends[1].id == "driver-1");
  CHECK_FALSE(ends[1].state);
}

TEST_CASE("a driver that goes on elsewhere is waited for there",
          "[scheduling]") {
  Trace trace;
  follow(trace, {"elect", "worker w1 1 core 1 GB",
                 "submit next 1 core 256 MB supervise"});
  RequestEnds request{{}, {first_driver}, 0};
  CHECK_FALSE(over(trace, request));
  follow(trace, {"driver driver-1 running", "at 1s lost w1", "at 20s tick"});
  auto end = end_of(trace, request);
  CHECK(end.id == first_driver.value);
  REQUIRE(end.relaunched_as);
  CHECK(*end.relaunched_as != first_driver);
  CHECK_FALSE(end.ended);
  CHECK_FALSE(over(trace, request));

  follow(trace, {"at 21s worker w2 1 core 1 GB", "driver driver-2 running",
                 "driver driver-2 failed 3"});
  CHECK(over(trace, request));
  end = end_of(trace, request);
  CHECK(end.ended);
  CHECK_FALSE(end.succeeded);
  CHECK(end.exit_status == 3);
}

TEST_CASE("changes tell of ends when a program has ended with them",
          "[scheduling]") {
  Trace trace;
  follow(trace, {"elect", "worker w1 2 cores 2 GB",
                 "app job 1 core 512 MB instances 2"});
  auto tell = [&](const Changes& changes) {
    return tell_of_ends(trace.cluster().state(), changes);
  };
  StoredApplication app;
  StoredDriver driver;
  StoredExecutor executor;
  executor.app_id = first_app;
  executor.ended = from_ms(1);
  CHECK_FALSE(tell({}));
  CHECK_FALSE(tell({app, driver, executor}));
  app.ended = from_ms(1);
  CHECK(tell({executor, app}));
  driver.state = DriverState::RELAUNCHING;
  CHECK_FALSE(tell({driver}));
  driver.ended = from_ms(1);
  CHECK(tell({driver}));
  CHECK(tell({EraseApplication{{"app-1"}}}));
  CHECK(tell({EraseDriver{{"driver-1"}}}));
  // The last of an application that was ended.
  EraseExecutor erased{{first_app, 0}};
  CHECK_FALSE(tell({erased}));
  follow(trace, {"kill app-1"});
  CHECK(tell({executor}));
  CHECK(tell({erased}));
  executor.ending = true;
  CHECK_FALSE(tell({executor}));
}

TEST_CASE("what is forgotten while it ends has ended", "[scheduling]") {
  Trace trace;
  follow(trace, {"config retained_applications=0", "elect",
                 "worker w1 3 cores 3 GB", "app job 1 core 512 MB instances 2",
                 "submit next 1 core 256 MB after app-1",
                 "submit well 1 core 256 MB after-ok app-1"});
  follow(trace, {"kill app-1"});
  const auto& drivers = trace.cluster().state().drivers;
  auto state_of = [&](const char* id) {
    return drivers.at(drivers.find(DriverId{id}).value()).stored.state;
  };
  CHECK(state_of("driver-19700101000000-0001") == DriverState::RUNNING);
  CHECK(state_of("driver-19700101000000-0002") == DriverState::FAILED);
  CHECK(invariant_violation(trace.cluster().state()).value_or("").empty());
}
