// What an operator's log says of what a master has committed.

#include "scheduling/master/event_lines.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

using Lines = std::vector<std::string>;

Lines told(EventLines& events, const Changes& changes) {
  Lines result;
  for (const auto& x : events.of(changes)) {
    CHECK(std::ranges::count(event_names, std::string_view{x.event}) == 1);
    result.push_back((x.is_warning ? "! " : "") + std::string{x.event} + ' '
                     + x.fields);
  }
  return result;
}

StoredExecutor executor() {
  StoredExecutor result;
  result.app_id = AppId{"app-1"};
  result.exec_id = 3;
  result.index = 2;
  result.worker_id = WorkerId{"w1"};
  result.cores = 2;
  result.memory_mb = 512;
  return result;
}

} // namespace

TEST_CASE("an executor's start and end are told once each", "[events]") {
  EventLines events{{}};
  auto x = executor();
  CHECK(told(events, {x})
        == Lines{"executor-started app=app-1 executor=3 instance=2 worker=w1 "
                 "cores=2 memory_mb=512"});
  x.state = ExecutorState::RUNNING;
  CHECK(told(events, {x}).empty());
  x.state = ExecutorState::EXITED;
  x.exit_status = 1;
  x.ended = Instant{};
  x.message = "command exited with code 1";
  CHECK(told(events, {x})
        == Lines{"executor-ended app=app-1 executor=3 instance=2 worker=w1 "
                 "end=EXITED code=1 message=\"command exited with code 1\""});
  CHECK(told(events, {x}).empty());
}

TEST_CASE("a worker comes, leaves and is lost", "[events]") {
  EventLines events{{}};
  StoredWorker x;
  x.id = WorkerId{"w1"};
  x.host = "h1";
  x.cores = 4;
  x.memory_mb = 4096;
  x.identity = "node n1";
  CHECK(told(events, {x})
        == Lines{"worker-registered worker=w1 host=h1 cores=4 memory_mb=4096 "
                 "by=\"node n1\""});
  CHECK(told(events, {x}).empty());
  x.state = WorkerState::DECOMMISSIONED;
  CHECK(told(events, {x}) == Lines{"worker-leaves worker=w1"});
  CHECK(told(events, {x}).empty());
  CHECK(told(events, {EraseWorker{x.id, "it left", true}})
        == Lines{"worker-left worker=w1"});
  CHECK(told(events, {EraseWorker{x.id, "it left", true}}).empty());
  x.state = WorkerState::ALIVE;
  CHECK(told(events, {x}).size() == 1);
  CHECK(told(events, {EraseWorker{x.id, "no heartbeat"}})
        == Lines{"! worker-lost worker=w1 reason=\"no heartbeat\""});
}

TEST_CASE(
    "an application's life is told, with names that cannot pass for fields",
    "[events]") {
  EventLines events{{}};
  StoredApplication x;
  x.id = AppId{"app-1"};
  x.description.name = "a\" end=KILLED";
  x.description.user = "ann";
  CHECK(told(events, {x})
        == Lines{"application-registered app=app-1 "
                 "name=\"a\\\" end=KILLED\" user=ann"});
  x.state = ApplicationState::RUNNING;
  CHECK(told(events, {x}).empty());
  x.state = ApplicationState::FINISHED;
  CHECK(told(events, {x}) == Lines{"application-ended app=app-1 end=FINISHED"});
}

TEST_CASE("a driver's restarts are counted, and its end says how it went on",
          "[events]") {
  EventLines events{{}};
  StoredDriver x;
  x.id = DriverId{"driver-1"};
  x.description.name = "sleep";
  x.description.user = "ann";
  CHECK(told(events, {x})
        == Lines{"driver-submitted driver=driver-1 name=sleep user=ann"});
  x.worker_id = WorkerId{"w1"};
  x.state = DriverState::RUNNING;
  CHECK(told(events, {x}).empty());
  x.restarts = 2;
  x.message = "command exited with code 1";
  CHECK(told(events, {x})
        == Lines{"! driver-restarts driver=driver-1 worker=w1 restarts=2 "
                 "message=\"command exited with code 1\""});
  CHECK(told(events, {x}).empty());
  x.state = DriverState::RELAUNCHING;
  x.relaunched_as = DriverId{"driver-2"};
  x.message = "its worker was lost";
  CHECK(told(events, {x})
        == Lines{"driver-ended driver=driver-1 worker=w1 end=RELAUNCHING "
                 "message=\"its worker was lost\" again_as=driver-2"});
}

TEST_CASE("what a new leader finds stored is no news", "[events]") {
  StoredState stored;
  stored.executors.push_back(executor());
  stored.workers.emplace_back().id = WorkerId{"w1"};
  EventLines events{stored};
  CHECK(told(events, {executor(), stored.workers.front()}).empty());
  auto x = executor();
  x.state = ExecutorState::LOST;
  x.ended = Instant{};
  CHECK(told(events, {x})
        == Lines{"executor-ended app=app-1 executor=3 instance=2 worker=w1 "
                 "end=LOST"});
}
