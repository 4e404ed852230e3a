// What would happen if: scheduling/planning/plan.hpp.

#include "scheduling/planning/plan.hpp"

#include <set>

#include "messages/json.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

const AppId first{"app-19700101000000-0001"};
const AppId second{"app-19700101000000-0002"};

/// A worker of 4 cores and 4 GB with an application that fills it, and another
/// that waits for 2 cores.
struct Full {
  Trace trace;

  Full() {
    run({"elect", "worker w1 4 cores 4 GB", "app a 2 cores 1024 MB max 4",
         "app b 1 core 512 MB max 2"});
  }

  void run(std::initializer_list<const char*> lines) {
    for (const auto* line : lines)
      (void)trace.run(line);
  }

  [[nodiscard]] PlanResponse plan(const RequestPlan& request) const {
    return stoker::plan(trace.cluster(), Instant{}, request);
  }
};

PlannedWorker worker(int cores, std::int64_t memory_mb, int count = 1) {
  PlannedWorker result;
  result.count = count;
  result.cores = cores;
  result.memory_mb = memory_mb;
  return result;
}

ApplicationDescription app(int cores, int cores_per_executor) {
  ApplicationDescription result;
  result.user = "ann";
  result.max_cores = cores;
  result.cores_per_executor = cores_per_executor;
  result.memory_per_executor_mb = 1024;
  return result;
}

const PlannedOutcome& outcome_of(const PlanResponse& plan,
                                 const std::string& name) {
  for (const auto& x : plan.outcomes)
    if (x.name == name)
      return x;
  FAIL("nothing would become of " << name);
  return plan.outcomes.front();
}

const PlannedDriver& driver_of(const PlanResponse& plan,
                               const std::string& name) {
  for (const auto& x : plan.drivers)
    if (x.name == name)
      return x;
  FAIL("nothing would become of the driver " << name);
  return plan.drivers.front();
}

} // namespace

TEST_CASE_METHOD(Full, "a plan of nothing tells what is free", "[plan]") {
  auto x = plan({});
  CHECK(x.problem.empty());
  CHECK(x.starts.empty());
  CHECK(x.outcomes.empty());
  CHECK(x.total == Resources{4, 4096});
  CHECK(x.free == Resources{0, 2048});
}

TEST_CASE_METHOD(Full, "a plan changes nothing", "[plan]") {
  auto before = trace.run("show");
  auto state = to_json(snapshot(trace.cluster().state()));
  RequestPlan everything;
  everything.end_apps = {first};
  everything.remove_workers = {WorkerId{"w1"}};
  everything.add_workers = {worker(8, 8192, 3)};
  everything.add_apps = {app(8, 2), app(99, 99)};
  auto x = plan(everything);
  CHECK(x.problem.empty());
  CHECK_FALSE(x.starts.empty());
  CHECK(trace.run("show") == before);
  CHECK(to_json(snapshot(trace.cluster().state())) == state);
  CHECK(trace.cluster().now() == Instant{});
  // The same question has the same answer.
  CHECK(plan(everything) == x);
}

TEST_CASE_METHOD(Full, "new workers and applications have names that say so",
                 "[plan]") {
  RequestPlan request;
  request.add_workers = {worker(1, 512, 2), worker(4, 4096)};
  request.add_apps = {app(2, 2), app(4, 4)};
  request.add_apps.back().name = "mine";
  auto x = plan(request);
  REQUIRE(x.starts.size() == 3);
  CHECK(x.starts[0].app_id == second);
  CHECK(outcome_of(x, "b").executors_started == 2);
  CHECK(outcome_of(x, "b").cores_wanted == 0);
  CHECK(outcome_of(x, "new-app-1").executors_started == 1);
  CHECK(outcome_of(x, "mine").executors_started == 0);
  CHECK(outcome_of(x, "mine").cores_wanted == 4);
  CHECK_FALSE(outcome_of(x, "mine").reason.empty());
  CHECK(x.total == Resources{10, 4096 + 2 * 512 + 4096});
  std::set<std::string> workers;
  for (const auto& start : x.starts)
    workers.insert(to_string(start.worker_id));
  CHECK(workers.count("new-worker-3") == 1);
  CHECK(workers.count("w1") == 0);
}

TEST_CASE_METHOD(Full,
                 "an application that would be refused is named with the "
                 "reason",
                 "[plan]") {
  RequestPlan request;
  request.add_apps = {app(8, 8)};
  request.add_apps.front().name = "large";
  request.add_apps.front().reject_if_it_cannot_fit = true;
  auto x = plan(request);
  const auto& outcome = outcome_of(x, "large");
  CHECK(outcome.app_id == AppId{});
  CHECK(outcome.reason
        == "needs 8 cores per executor, the largest worker has 4 cores");
  CHECK(x.starts.empty());
  // A worker that is planned too counts.
  request.add_workers = {worker(10, 10240)};
  CHECK(outcome_of(plan(request), "large").executors_started == 1);
}

TEST_CASE_METHOD(Full, "an application that ends makes room for others",
                 "[plan]") {
  RequestPlan request;
  request.end_apps = {first};
  auto x = plan(request);
  REQUIRE(x.starts.size() == 1);
  CHECK(x.starts[0].app_id == second);
  CHECK(x.starts[0].worker_id == WorkerId{"w1"});
  CHECK(x.starts[0].executors == 2);
  CHECK(x.starts[0].cores == 2);
  CHECK(x.starts[0].memory_mb == 1024);
  CHECK(x.free == Resources{2, 3072});
}

// Their room is free only when their worker says that they have ended; a plan
// and an estimate do not wait for that.
TEST_CASE("a plan knows that instances that are told to end will", "[plan]") {
  Full full;
  full.run({"config master_url=\"m\"", "elect", "worker w1 2 cores 2 GB",
            "app a 1 core 512 MB max 2 instances 2 within 60s",
            "app b 1 core 512 MB max 2 instances 2"});
  RequestPlan request;
  request.end_apps = {first};
  auto x = full.plan(request);
  CHECK(outcome_of(x, "b").executors_started == 2);
  CHECK(x.free == Resources{0, 1024});
  auto why = explain(full.trace.cluster(), Instant{}, second);
  REQUIRE(why.estimate);
  CHECK(why.estimate->after == first);
  CHECK(why.estimate->in_ms == 60'000);
}

TEST_CASE_METHOD(Full, "a worker that leaves takes its executors along",
                 "[plan]") {
  RequestPlan request;
  request.remove_workers = {WorkerId{"w1"}};
  auto x = plan(request);
  CHECK(x.starts.empty());
  CHECK(outcome_of(x, "a").executors_lost == 2);
  CHECK(outcome_of(x, "a").cores_wanted == 4);
  CHECK(outcome_of(x, "a").reason == "there is no worker");
  CHECK(x.total == Resources{});
  CHECK(x.free == Resources{});
  // One that comes in its place takes them over, the first come first.
  request.add_workers = {worker(5, 5120)};
  x = plan(request);
  CHECK(outcome_of(x, "a").executors_lost == 2);
  CHECK(outcome_of(x, "a").executors_started == 2);
  CHECK(outcome_of(x, "b").executors_started == 1);
}

TEST_CASE_METHOD(Full, "what goes at one moment takes nothing over", "[plan]") {
  run({"worker w2 4 cores 4 GB", "submit d 1 core 1024 MB supervise"});
  RequestPlan request;
  SECTION("of another worker that goes") {
    request.remove_workers = {WorkerId{"w1"}, WorkerId{"w2"}};
    auto x = plan(request);
    CHECK(x.starts.empty());
    CHECK_FALSE(x.drivers.empty());
    for (const auto& driver : x.drivers)
      CHECK(driver.state != DriverState::RUNNING);
    CHECK(x.total == Resources{});
  }
  SECTION("of an application that ends") {
    request.end_apps = {first, second};
    auto x = plan(request);
    CHECK(x.starts.empty());
    CHECK(x.outcomes.empty());
  }
  SECTION("of an application that ends, on a worker that goes") {
    request.end_apps = {second};
    request.remove_workers = {WorkerId{"w2"}};
    for (const auto& start : plan(request).starts)
      CHECK(start.worker_id != WorkerId{"w2"});
  }
}

TEST_CASE_METHOD(Full, "a driver that waits starts on a worker that is planned",
                 "[plan]") {
  run({"submit d 2 cores 512 MB", "submit late 4 cores 512 MB"});
  CHECK(plan({}).drivers.empty());
  RequestPlan request;
  request.add_workers = {worker(2, 2048)};
  auto x = plan(request);
  // It takes all cores, so that the application that waits gets none.
  CHECK(x.starts.empty());
  CHECK(x.free == Resources{0, 2048 + 1536});
  // One that waits as before is not concerned.
  REQUIRE(x.drivers.size() == 1);
  const auto& driver = x.drivers.front();
  CHECK(driver.driver_id == DriverId{"driver-19700101000000-0001"});
  CHECK(driver.name == "d");
  CHECK(driver.state == DriverState::RUNNING);
  CHECK(driver.worker_id == WorkerId{"new-worker-1"});
  CHECK(driver.cores == 2);
  CHECK(driver.memory_mb == 512);
  CHECK(driver.relaunched_as == std::nullopt);
  CHECK(driver.reason.empty());
}

TEST_CASE_METHOD(Full, "a plan tells for how many executors room is kept",
                 "[plan]") {
  run({"submit d 1 core 512 MB with 2 of 1 core 512 MB"});
  RequestPlan request;
  request.add_workers = {worker(3, 3072)};
  auto x = plan(request);
  CHECK(driver_of(x, "d").state == DriverState::RUNNING);
  CHECK(driver_of(x, "d").executors_reserved == 2);
  // Which is no room for the application that waits.
  CHECK(x.starts.empty());
}

namespace {

/// A worker with two drivers, of which one is started again when its worker is lost.
struct WithDrivers : Full {
  WithDrivers() {
    run({"config retained_drivers=0", "elect", "worker w1 4 cores 4 GB",
         "submit brief 1 core 512 MB", "submit kept 2 cores 1024 MB supervise",
         "submit next 1 core 512 MB after-ok driver-1"});
  }
};

} // namespace

TEST_CASE_METHOD(WithDrivers, "a worker that leaves takes its drivers along",
                 "[plan]") {
  RequestPlan request;
  request.remove_workers = {WorkerId{"w1"}};
  auto x = plan(request);
  // Also where a master keeps nothing that has ended; in order of arrival.
  REQUIRE(x.drivers.size() == 4);
  CHECK(x.drivers[0].name == "brief");
  CHECK(x.drivers[0].state == DriverState::ERROR);
  CHECK(x.drivers[0].worker_id == WorkerId{"w1"});
  CHECK(x.drivers[0].reason == "its worker was lost");
  CHECK(x.drivers[1].name == "kept");
  CHECK(x.drivers[1].state == DriverState::RELAUNCHING);
  CHECK(x.drivers[1].relaunched_as == x.drivers[3].driver_id);
  CHECK(x.drivers[2].name == "next");
  CHECK(x.drivers[2].state == DriverState::FAILED);
  CHECK(x.drivers[2].worker_id == std::nullopt);
  CHECK_FALSE(x.drivers[2].reason.empty());
  CHECK(x.drivers[3].name == "kept");
  CHECK(x.drivers[3].state == DriverState::SUBMITTED);
  CHECK(x.drivers[3].worker_id == std::nullopt);
  CHECK(x.drivers[3].reason == "there is no worker");
}

TEST_CASE_METHOD(WithDrivers,
                 "a driver goes on elsewhere when its worker leaves",
                 "[plan]") {
  run({"worker w2 2 cores 2 GB"});
  RequestPlan request;
  request.remove_workers = {WorkerId{"w1"}};
  auto x = plan(request);
  REQUIRE(x.drivers.size() == 4);
  CHECK(x.drivers[1].state == DriverState::RELAUNCHING);
  CHECK(x.drivers[3].state == DriverState::RUNNING);
  CHECK(x.drivers[3].worker_id == WorkerId{"w2"});
  CHECK(x.drivers[3].reason.empty());
  CHECK(x.free == Resources{0, 1024});
}

TEST_CASE_METHOD(Full, "what follows the end of an application is a driver",
                 "[plan]") {
  run({"app c 1 core 512 MB max 1 on-end hook"});
  RequestPlan request;
  request.end_apps = {AppId{"app-19700101000000-0003"}};
  auto x = plan(request);
  CHECK(driver_of(x, "after c").state == DriverState::SUBMITTED);
  request.add_workers = {worker(1, 1024)};
  x = plan(request);
  CHECK(driver_of(x, "after c").state == DriverState::RUNNING);
  CHECK(driver_of(x, "after c").worker_id == WorkerId{"new-worker-1"});
}

TEST_CASE_METHOD(Full, "planned workers have the resources that are planned",
                 "[plan]") {
  RequestPlan request;
  request.add_workers = {worker(8, 8192)};
  request.add_apps = {app(2, 1)};
  request.add_apps.front().resources_per_executor = {{"gpu", 1}};
  CHECK(outcome_of(plan(request), "new-app-1").executors_started == 0);
  request.add_workers.front().resources = {{"gpu", {"0", "1"}}};
  CHECK(outcome_of(plan(request), "new-app-1").executors_started == 2);
}

TEST_CASE_METHOD(Full, "planned workers have the Spark that is planned",
                 "[plan][spark]") {
  RequestPlan request;
  request.add_workers = {worker(8, 8192)};
  request.add_apps = {app(2, 1)};
  request.add_apps.front().command.spark
      = SparkProgram{"3.5.9", "Main", {}, {}, {}};
  auto x = outcome_of(plan(request), "new-app-1");
  CHECK(x.executors_started == 0);
  CHECK(x.reason == "no worker has Spark 3.5 (start one with --spark-home)");
  request.add_workers.front().spark_versions = {"3.5.1"};
  CHECK(outcome_of(plan(request), "new-app-1").executors_started == 2);
  request.add_workers.front().spark_versions = {"3"};
  CHECK(plan(request).problem
        == "'3' is no version of Spark: three numbers are needed, as in 3.5.9");
}

TEST_CASE_METHOD(Full, "what cannot be planned is told, in one line",
                 "[plan]") {
  RequestPlan request;
  std::string expected;
  SECTION("the end of a driver that does not run") {
    request.end_drivers = {DriverId{"driver-9"}};
    expected = "driver driver-9 is not running here";
  }
  SECTION("the end of what does not run") {
    request.end_apps = {AppId{"app-9"}};
    expected = "application app-9 is not running here";
  }
  SECTION("the leave of who is not there") {
    request.remove_workers = {WorkerId{"w9"}};
    expected = "worker w9 is not here";
  }
  SECTION("a worker without cores") {
    request.add_workers = {worker(0, 1024)};
    expected = "a planned worker needs at least 1 core and 1 MB of memory";
  }
  SECTION("a worker without memory") {
    request.add_workers = {worker(1, 0)};
    expected = "a planned worker needs at least 1 core and 1 MB of memory";
  }
  SECTION("no worker, or fewer") {
    auto count = GENERATE(0, -1);
    request.add_workers = {worker(1, 1024, count)};
    expected = "the count of a planned worker is at least 1";
  }
  SECTION("a worker whose host is no name of a host") {
    request.add_workers = {worker(1, 1024)};
    request.add_workers.front().host = "<i>";
    expected = "the host of a planned worker is no name or address of a host";
  }
  SECTION("more workers than there can be") {
    request.add_workers = {worker(1, 1, 100'000), worker(1, 1, 1)};
    expected = "at most 100000 workers can be planned";
  }
  SECTION("a worker with more cores than any has") {
    request.add_workers = {worker(1'000'001, 1024)};
    expected = "no machine has so many cores or so much memory as a planned "
               "worker";
  }
  SECTION("a worker with more memory than any has") {
    request.add_workers = {worker(1, (std::int64_t{1} << 40) + 1)};
    expected = "no machine has so many cores or so much memory as a planned "
               "worker";
  }
  SECTION("more applications than are looked at at once") {
    request.add_apps.assign(101, app(1, 1));
    expected = "at most 100 applications can be planned";
  }
  CHECK(plan(request).problem == expected);
  CHECK(plan(request).outcomes.empty());
}

TEST_CASE("a plan in which something goes twice is refused with its name",
          "[plan]") {
  RequestPlan request;
  request.end_apps = {AppId{"app-1"}, AppId{"app-2"}};
  request.remove_workers = {WorkerId{"w1"}, WorkerId{"w2"}};
  CHECK(check_plan(request));
  SECTION("an application") {
    request.end_apps.push_back(AppId{"app-1"});
    CHECK(check_plan(request).error().message
          == "application app-1 is to end twice");
  }
  SECTION("a worker") {
    request.remove_workers.push_back(WorkerId{"w2"});
    CHECK(check_plan(request).error().message == "worker w2 is to leave twice");
  }
}

TEST_CASE("a master that does not lead plans nothing", "[plan]") {
  Trace trace;
  auto x = plan(trace.cluster(), Instant{}, {});
  CHECK(x.problem == "the master is STANDBY; it plans when it is ALIVE");
}

TEST_CASE_METHOD(Full, "a plan knows what time it is", "[plan]") {
  run({"at 10s worker w2 1 core 1024 MB"});
  // A clock that is behind does not take the plan back.
  auto x = plan({});
  CHECK(x.problem.empty());
  CHECK(x.total == Resources{5, 5120});
}

TEST_CASE("one that would wait in its queue is told what fills the cluster",
          "[plan]") {
  Trace trace;
  for (
      const auto* line :
      {R"(config tenants={"min_executor_cores":1,"min_executor_memory_mb":512,)"
       R"("companies":[{"name":"one","cores":8,"memory_mb":8192}],)"
       R"("users":[{"name":"ann","company":"one"}]})",
       "at 0s elect", "worker w1 4 cores 4 GB",
       "app a 4 cores 4096 MB max 4 by ann"})
    (void)trace.run(line);
  RequestPlan request;
  request.add_apps = {app(2, 2)};
  auto x = stoker::plan(trace.cluster(), Instant{}, request);
  // What the application itself would be told.
  CHECK(outcome_of(x, "new-app-1").reason
        == "what is admitted fills the cluster: 4 cores and 4 GB of 4 cores "
           "and 4 GB");
}

TEST_CASE_METHOD(Full, "a planned gang starts whole or not at all", "[plan]") {
  auto gang = app(4, 1);
  gang.name = "gang";
  gang.gang = 4;
  RequestPlan request;
  request.add_apps = {gang};
  request.add_workers = {worker(5, 8192)};
  // Of 5 cores, the one that waits takes 2.
  auto none = plan(request);
  CHECK(outcome_of(none, "gang").executors_started == 0);
  CHECK(outcome_of(none, "gang").reason
        == "it needs 4 executors at once, each with 1 core and 1 GB: there is "
           "room for 3");
  request.add_workers = {worker(6, 8192)};
  CHECK(outcome_of(plan(request), "gang").executors_started == 4);
}
