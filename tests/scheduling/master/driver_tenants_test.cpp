// Drivers of users whom the rules for tenants forget, and of users at a limit.

#include <map>
#include <string>

#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain.hpp"
#include "scheduling/planning/explain_driver.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// A leader with one worker of four cores, for users of one company.
struct TenantCluster {
  Trace trace;

  TenantCluster() {
    run("config master_url=\"m\" tenants="
        + rules(R"({"name":"ann","company":"one"},)" + ben));
    run("elect");
    run("worker w1 4 cores 4 GB");
  }

  static std::string rules(const std::string& users) {
    return R"({"min_executor_cores":1,"min_executor_memory_mb":512,)"
           R"("companies":[{"name":"one"}],"users":[)"
           + users + "]}";
  }

  void forget_ben() {
    run("tenants " + rules(R"({"name":"ann","company":"one"})"));
  }

  void know_ben() {
    run("tenants " + rules(ben));
  }

  /// Fails if the state contradicts itself.
  void run(const std::string& line) {
    auto effects = trace.run(line);
    INFO(line << '\n' << effects);
    REQUIRE(effects.find("BROKEN") == std::string::npos);
  }

  [[nodiscard]] MasterStateResponse state() const {
    return snapshot(trace.cluster().state());
  }

  [[nodiscard]] const TenantTree& tenants() const {
    return *trace.cluster().state().admission.tenants();
  }

  inline static const std::string ben
      = R"({"name":"ben","company":"one","max_applications":1})";
};

} // namespace

TEST_CASE_METHOD(TenantCluster,
                 "a driver that is started again waits if its user is unknown",
                 "[scheduling]") {
  run("submit d 1 core 1 GB by ben supervise");
  forget_ben();
  run("worker w2 4 cores 4 GB");
  run("left w1");
  REQUIRE(state().active_drivers.size() == 1);
  auto again = state().active_drivers.front();
  CHECK(again.state == DriverState::SUBMITTED);
  CHECK(explain(trace.cluster().state(), again.id).blocker == Blocker::cap);
  CHECK(tenants().figures().requested == Resources{});
  know_ben();
  CHECK(state().active_drivers.front().state == DriverState::RUNNING);
  CHECK(tenants().figures().requested == Resources{1, 1024});
}

TEST_CASE_METHOD(TenantCluster,
                 "what an application does not run counts no more if its user "
                 "is unknown",
                 "[scheduling]") {
  run("app a 1 core 512 MB max 8 by ben");
  forget_ben();
  CHECK(tenants().figures().requested == Resources{4, 2048});
  auto id = state().active_apps.front().id;
  CHECK(explain_briefly(trace.cluster().state(), {}, id).blocker
        == Blocker::cap);
  run("executor app-1/0 exited 0");
  CHECK(tenants().figures().requested == Resources{3, 1536});
  know_ben();
  CHECK(tenants().figures().running == Resources{4, 2048});
}

TEST_CASE("drivers above the most that may run do not fill the cluster",
          "[scheduling]") {
  for (const auto* accounting : {"requested", "running"}) {
    CAPTURE(accounting);
    Trace trace;
    for (const auto& line :
         {R"(config max_drivers=1 tenants={"min_executor_cores":1,)"
          R"("min_executor_memory_mb":512,"accounting":")"
              + std::string{accounting}
              + R"(","companies":[{"name":"one"}],"default_company":"one"})",
          std::string{"elect"}, std::string{"worker w1 4 cores 4 GB"},
          std::string{"submit d1 1 core 512 MB by ann"},
          std::string{"submit d2 2 cores 512 MB by ann"},
          std::string{"submit d3 2 cores 512 MB by ann"},
          std::string{"app a 1 core 512 MB max 1 of driver-1 by ann"}})
      CHECK(trace.run(line).find("BROKEN") == std::string::npos);
    auto state = snapshot(trace.cluster().state());
    CHECK(state.active_apps.at(0).cores_granted == 1);
    CHECK(trace.run("driver driver-1 finished").find("LaunchDriver")
          != std::string::npos);
  }
}

TEST_CASE_METHOD(TenantCluster,
                 "the application of a driver goes before others of its user",
                 "[scheduling]") {
  run("submit d 1 core 1 GB by ben");
  // It may not be admitted beside the driver.
  run("app other 1 core 512 MB max 1 by ben");
  run("app own 1 core 512 MB max 1 of driver-1 by ben");
  for (const auto& x : state().active_apps)
    CHECK(x.cores_granted == (x.name == "own" ? 1 : 0));
  run("unregister app-2");
  run("driver driver-1 finished");
  CHECK(state().active_apps.front().cores_granted == 1);
}

TEST_CASE_METHOD(TenantCluster,
                 "an application counts if its driver has another one",
                 "[scheduling]") {
  run("submit d 1 core 1 GB by ben");
  run("app first 1 core 512 MB max 1 of driver-1 by ben");
  run("app second 1 core 512 MB max 1 of driver-1 by ben");
  run("app third 1 core 512 MB max 1 of driver-1 by ben");
  auto granted = [&] {
    std::map<std::string, int> result;
    for (const auto& x : state().active_apps)
      result[x.name] = x.cores_granted;
    return result;
  };
  // The limit is one application, which the driver counts as.
  using Granted = std::map<std::string, int>;
  CHECK(granted() == Granted{{"first", 1}, {"second", 0}, {"third", 0}});
  run("unregister app-1");
  CHECK(granted() == Granted{{"second", 1}, {"third", 0}});
}

TEST_CASE(
    "an elastic application of an earlier start is admitted beside its driver",
    "[scheduling]") {
  Trace trace;
  trace.run(
      R"(config tenants={"min_executor_cores":1,"min_executor_memory_mb":512,)"
      R"("companies":[{"name":"one","max_cores":4},{"name":"two"}],)"
      R"("default_company":"one","users":[{"name":"zoe","company":"two"}]})");
  trace.run("elect");
  trace.run("worker w1 4 cores 4 GB");
  trace.run("app all 4 cores 512 MB max 4 by zoe");
  trace.run("submit d 1 core 512 MB by ann supervise");
  trace.run("app own 1 core 512 MB max 4 limit 4 of driver-1 by ann");
  // The driver starts and has a core of the company's four.
  trace.run("unregister app-1");
  auto apps = snapshot(trace.cluster().state()).active_apps;
  REQUIRE(apps.size() == 1);
  CHECK(apps.front().cores_granted == 3);
}

TEST_CASE_METHOD(TenantCluster,
                 "a driver joins its queue again when its application has a "
                 "part of its place",
                 "[scheduling]") {
  run("submit d 1 core 1 GB by ann supervise with 2 of 1 core 512 MB");
  run("app own 1 core 512 MB max 2 of driver-1 by ann");
  REQUIRE(tenants().figures().requested == Resources{3, 2048});
  run("submit big 2 cores 1 GB by ann");
  run("worker w2 2 cores 4 GB");
  run("left w1");
  auto drivers = state().active_drivers;
  REQUIRE(drivers.size() == 2);
  CHECK(drivers.at(0).state == DriverState::RUNNING);
  auto again = explain(trace.cluster().state(), drivers.at(1).id);
  CHECK(again.blocker == Blocker::queue);
  CHECK(again.cores_wanted == 3);
}

TEST_CASE("a driver of Spark's leaves room for the executor of its settings",
          "[scheduling]") {
  Trace trace;
  trace.run(R"(config tenants={"min_executor_cores":1,)"
            R"("min_executor_memory_mb":512,"companies":[{"name":"one",)"
            R"("max_cores":5,"max_memory_mb":6144}],"default_company":"one"})");
  trace.run("elect");
  trace.run("worker w1 16 cores 64 GB spark 4.1.4");
  auto submit = [&](const std::string& name, const std::string& settings) {
    return trace.run("submit " + name + " spark 4.1.4 settings " + settings
                     + " 1 core 1 GB by ann");
  };
  auto runs = [](const std::string& effects) {
    return effects.find("LaunchDriver") != std::string::npos;
  };
  CHECK(submit("large", "spark.executor.cores=5").find("success=false")
        != std::string::npos);
  CHECK(submit("large", "spark.executor.memory=6g").find("success=false")
        != std::string::npos);
  CHECK(runs(submit(
      "a", "spark.executor.cores=9,spark.executor.cores=3,spark.app.name=x")));
  // The room is for the larger one, although the second would need less.
  CHECK(runs(submit("b", "spark.executor.memory=4194304k")));
  CHECK_FALSE(runs(submit("c", "spark.app.name=c")));
  CHECK(runs(trace.run("driver driver-1 finished")));
}
