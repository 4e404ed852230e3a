// Where one answer ends and the other begins: deadlines to the millisecond,
// limits of 0, the last of a row.

#include <string>

#include "scheduling/master/snapshot.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// Runs commands, one to a line, and returns what the last of them led to.
std::string run(Trace& trace, std::initializer_list<std::string> lines) {
  std::string result;
  for (const auto& line : lines)
    result = trace.run(line);
  CHECK(result.find("BROKEN") == std::string::npos);
  return result;
}

WorkerState state_of_first_worker(const Trace& trace) {
  return snapshot(trace.cluster().state()).workers.at(0).state;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a heartbeat at the deadline comes too late", "[scheduling]") {
  struct Row {
    const char* description;
    const char* heartbeat;
    const char* tick;
    WorkerState expected;
  };
  auto row = GENERATE(values<Row>({
      {"nothing is due yet", "at 0s heartbeat w1", "at 59999ms tick",
       WorkerState::ALIVE},
      {"exactly at the deadline", "at 0s heartbeat w1", "at 60s tick",
       WorkerState::DEAD},
      {"a heartbeat just before", "at 59999ms heartbeat w1", "at 60s tick",
       WorkerState::ALIVE},
      {"time looked at before the heartbeat of the same instant", "at 60s tick",
       "at 60s heartbeat w1", WorkerState::DEAD},
      {"the heartbeat before time was looked at", "at 60s heartbeat w1",
       "at 60s tick", WorkerState::ALIVE},
  }));
  INFO(row.description);
  Trace trace;
  run(trace, {"elect", "worker w1 1 core 1 GB", row.heartbeat, row.tick});
  CHECK(state_of_first_worker(trace) == row.expected);
}

TEST_CASE("a report at the end of its time comes too late", "[scheduling]") {
  struct Row {
    const char* report;
    const char* tick;
    WorkerState expected;
  };
  auto row = GENERATE(values<Row>({
      {"at 13999ms report w1", "at 14s tick", WorkerState::ALIVE},
      {"at 13999ms tick", "at 13999ms report w1", WorkerState::ALIVE},
      {"at 14s tick", "at 14s report w1", WorkerState::DEAD},
  }));
  INFO(row.report << ", " << row.tick);
  Trace trace;
  run(trace, {"elect", "worker w1 1 core 1 GB", "at 1s lost w1",
              "worker w1 1 core 1 GB", row.report, row.tick});
  CHECK(state_of_first_worker(trace) == row.expected);
}

TEST_CASE("wake-ups that come early or twice change nothing", "[scheduling]") {
  Trace trace;
  run(trace, {"elect", "worker w1 1 core 1 GB", "app pi 1 core 512 MB",
              "at 5s lost w1", "at 5s lost pi"});
  CHECK(run(trace, {"at 6s tick"}) == "");
  CHECK(run(trace, {"at 7s tick"}) == "");
  CHECK(contains(run(trace, {"at 18s tick"}), "ApplicationFinished"));
  CHECK(run(trace, {"at 18s tick"}) == "");
}

TEST_CASE("the tenth failure in a row ends an application", "[scheduling]") {
  Trace trace;
  run(trace, {"elect", "worker w1 1 core 1 GB", "app pi 1 core 512 MB"});
  for (int i = 0; i < 9; ++i)
    CHECK(!contains(
        run(trace, {"executor app-1/" + std::to_string(i) + " exited 1"}),
        "ApplicationRemoved"));
  CHECK(contains(run(trace, {"executor app-1/9 exited 1"}),
                 "ApplicationRemoved message=\"10 executors in a row failed"));
}

TEST_CASE("with no retries the first failure ends an application",
          "[scheduling]") {
  Trace trace;
  run(trace, {"config max_executor_retries=0", "elect", "worker w1 1 core 1 GB",
              "app pi 1 core 512 MB"});
  CHECK(contains(run(trace, {"executor app-1/0 exited 0"}), "LaunchExecutor"));
  CHECK(contains(run(trace, {"executor app-1/1 exited 1"}),
                 "ApplicationRemoved"));
}

TEST_CASE("an executor has run for long exactly when its time is full",
          "[scheduling]") {
  struct Row {
    const char* fails;
    bool removed;
  };
  // One failure came before; two in a row are too many.
  auto row = GENERATE(values<Row>({
      {"at 60999ms executor app-1/1 exited 1", true},
      {"at 61s executor app-1/1 exited 1", false},
  }));
  INFO(row.fails);
  Trace trace;
  run(trace, {"config max_executor_retries=2 worker_timeout=1000000", "elect",
              "worker w1 1 core 1 GB", "app pi 1 core 512 MB",
              "executor app-1/0 exited 1", "at 1s executor app-1/1 running"});
  CHECK(contains(run(trace, {row.fails}), "ApplicationRemoved") == row.removed);
}

TEST_CASE("the last 200 ended applications are kept", "[scheduling]") {
  Trace trace;
  run(trace, {"elect"});
  for (int i = 1; i <= 203; ++i) {
    auto number = std::to_string(i);
    run(trace,
        {"app a" + number + " 1 core 512 MB", "unregister app-" + number});
  }
  auto ended = snapshot(trace.cluster().state()).completed_apps;
  REQUIRE(ended.size() == 200);
  CHECK(ended.front().name == "a4");
  CHECK(ended.back().name == "a203");
}

TEST_CASE("nothing that ended is kept when nothing shall be", "[scheduling]") {
  Trace trace;
  run(trace, {"config retained_applications=0 retained_drivers=0 "
              "retained_executors=0 dead_worker_persistence=0",
              "elect", "worker w1 4 cores 4 GB", "app pi 1 core 512 MB max 1",
              "submit d 1 core 512 MB supervise", "executor app-1/0 exited 0",
              "kill app-1", "kill driver-1", "driver driver-1 killed",
              "submit e 9 cores 512 MB", "kill driver-2",
              "submit f 1 core 512 MB supervise"});
  run(trace, {"at 60s tick"});
  auto state = snapshot(trace.cluster().state());
  CHECK(state.workers.empty());
  CHECK(state.completed_apps.empty());
  // Its worker was lost: whoever submitted it knows it by its first id.
  REQUIRE(state.active_drivers.size() == 1);
  CHECK(state.active_drivers[0].name == "f");
  REQUIRE(state.completed_drivers.size() == 1);
  CHECK(state.completed_drivers[0].relaunched_as == state.active_drivers[0].id);
  run(trace, {"kill driver-3"});
  CHECK(snapshot(trace.cluster().state()).active_drivers.empty());
  CHECK(snapshot(trace.cluster().state()).completed_drivers.empty());
}

TEST_CASE("a worker whose wake-up is late is replaced all the same",
          "[scheduling]") {
  // It is lost and has been shown for long enough at the same moment.
  Trace trace;
  run(trace,
      {"config dead_worker_persistence=0", "elect",
       "worker w1 1 core 1 GB at h:1", "at 100s worker w2 1 core 1 GB at h:1"});
  auto workers = snapshot(trace.cluster().state()).workers;
  REQUIRE(workers.size() == 1);
  CHECK(workers[0].id == WorkerId{"w2"});
}

TEST_CASE("without time to come back, a worker that does starts anew",
          "[scheduling]") {
  Trace trace;
  run(trace, {"config reconnect_timeout=0", "elect", "worker w1 2 cores 1 GB",
              "app pi 1 core 256 MB max 1"});
  auto again = run(trace, {"worker w1 2 cores 1 GB via w1-again"});
  CHECK(contains(again, "state=LOST"));
  CHECK(contains(again, "to w1-again: RegisteredWorker duplicate=false"));
  CHECK(contains(again, "to w1-again: LaunchExecutor app_id=app-1 exec_id=1"));
  CHECK(state_of_first_worker(trace) == WorkerState::ALIVE);
  run(trace, {"lost w1-again"});
  CHECK(state_of_first_worker(trace) == WorkerState::DEAD);
}

TEST_CASE("an endpoint is that of the worker which registered last",
          "[scheduling]") {
  // A process that registers under another name over the same connection. The
  // end of the first name takes nothing from the second.
  Trace trace;
  run(trace, {"elect", "worker w1 1 core 1 GB via e",
              "at 1s worker w2 1 core 1 GB via e", "at 60s tick"});
  auto workers = snapshot(trace.cluster().state()).workers;
  REQUIRE(workers.size() == 2);
  CHECK(workers[0].state == WorkerState::DEAD);
  CHECK(workers[1].state == WorkerState::ALIVE);
  run(trace, {"at 60s lost e"});
  CHECK(snapshot(trace.cluster().state()).workers[1].state
        == WorkerState::UNKNOWN);
}

TEST_CASE("an instance's own failures make no row of losses", "[scheduling]") {
  Trace trace;
  run(trace, {"config max_executor_retries=2", "elect", "worker w1 1 core 1 GB",
              "app job 1 core 512 MB instances 1 failures 5",
              "executor app-1/0 exited 1", "executor app-1/1 exited 1"});
  CHECK(contains(run(trace, {"executor app-1/2 exited 137"}),
                 "LaunchExecutor app_id=app-1 exec_id=3"));
  CHECK(contains(run(trace, {"executor app-1/3 exited 137"}),
                 "2 instances in a row were lost"));
}
