// What a Cluster answers without anything happening.

#include "scheduling/master/snapshot.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

using Holder = std::pair<Errc, EndpointId>;

const AppId app_id{"app-19700101000000-0001"};
const DriverId driver{"driver-19700101000000-0001"};

Holder log_of(const Trace& trace, int exec_id) {
  RequestLog request;
  request.executor = ExecutorId{app_id, exec_id};
  return find_log_holder(trace.cluster().state(), request);
}

Holder log_of(const Trace& trace, const DriverId& id) {
  RequestLog request;
  request.driver = id;
  return find_log_holder(trace.cluster().state(), request);
}

void run(Trace& trace, std::initializer_list<const char*> lines) {
  for (const auto* line : lines)
    (void)trace.run(line);
}

} // namespace

TEST_CASE("an output is with the worker, for as long as anybody remembers",
          "[scheduling]") {
  Trace trace;
  run(trace, {"config retained_applications=1", "elect",
              "worker w1 2 cores 2 GB", "app pi 1 core 512 MB max 1"});
  Holder at_w1{Errc::none, EndpointId{"w1"}};
  CHECK(log_of(trace, 0) == at_w1);
  CHECK(log_of(trace, 1).first == Errc::not_found);
  run(trace, {"executor app-1/0 exited 1"});
  CHECK(log_of(trace, 0) == at_w1);
  CHECK(log_of(trace, 1) == at_w1);
  run(trace, {"unregister app-1"});
  CHECK(log_of(trace, 0) == at_w1);
  run(trace, {"app two 1 core 512 MB", "unregister app-2"});
  CHECK(log_of(trace, 0).first == Errc::not_found);
}

TEST_CASE("an output cannot be read while its worker is not connected",
          "[scheduling]") {
  Trace trace;
  run(trace, {"elect", "worker w1 2 cores 2 GB", "app pi 1 core 512 MB max 1",
              "at 1s lost w1"});
  CHECK(log_of(trace, 0).first == Errc::not_running);
  run(trace, {"at 2s worker w1 2 cores 2 GB via again"});
  CHECK(log_of(trace, 0) == Holder{Errc::none, EndpointId{"again"}});
  run(trace, {"at 2s report w1", "at 100s tick"});
  CHECK(log_of(trace, 0).first == Errc::not_running);
}

TEST_CASE("a driver that waits has no output yet", "[scheduling]") {
  Trace trace;
  run(trace, {"elect", "submit d 1 core 512 MB"});
  CHECK(log_of(trace, driver).first == Errc::not_running);
  run(trace, {"worker w1 2 cores 2 GB"});
  CHECK(log_of(trace, driver) == Holder{Errc::none, EndpointId{"w1"}});
  run(trace, {"driver driver-1 finished"});
  CHECK(log_of(trace, driver) == Holder{Errc::none, EndpointId{"w1"}});
  CHECK(log_of(trace, DriverId{"driver-9"}).first == Errc::not_found);
  CHECK(find_log_holder(trace.cluster().state(), RequestLog{}).first
        == Errc::not_found);
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
