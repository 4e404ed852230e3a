// Workers leave that run executors of PySpark's.

#include <fstream>

#include "tests/pyspark/pyspark_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// The executors of the only application that runs on a worker, by their states.
std::vector<std::string> states_on(Cluster& cluster, const Worker& worker) {
  std::vector<std::string> result;
  auto status = cluster.status();
  for (const auto& app : status.at("active_apps").as_array())
    for (const auto& x : app.at("executors").as_array())
      if (text_of(x, "worker_id") == worker.id)
        result.push_back(text_of(x, "state"));
  return result;
}

} // namespace

TEST_CASE(
    "a driver of Spark hears that a worker leaves, and goes on elsewhere") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  // Executors end by themselves if their user has set it. If not, their worker ends them.
  auto end_by_themselves = GENERATE(true, false);
  auto version = end_by_themselves ? versions.front() : versions.back();
  CAPTURE(version, end_by_themselves);
  PySparkCluster cluster{versions};
  cluster.start_master(cluster.master_options());
  auto words = cluster.worker_options();
  if (!end_by_themselves)
    words.insert(words.end(),
                 {"--conf", "spark.executor.decommission.forceKillTimeout=1s"});
  auto leaving = cluster.start_worker(words);
  auto staying = cluster.start_worker(words);
  auto& driver = cluster.submit(
      version,
      {"--conf", "spark.executor.cores=1", "--conf", "spark.cores.max=2",
       "--conf", "spark.scheduler.minRegisteredResourcesRatio=1", "--conf",
       "spark.scheduler.maxRegisteredResourcesWaitingTime=600s", "--conf",
       std::string{"spark.decommission.enabled="}
           + (end_by_themselves ? "true" : "false"),
       program("leaving.py"), cluster.path("go")});
  await_output(driver, "before: 28");
  REQUIRE(states_on(cluster, leaving) == std::vector<std::string>{"RUNNING"});
  REQUIRE(cluster.run({"decommission", leaving.id}).status == 0);
  REQUIRE(eventually([&] {
    return states_on(cluster, leaving)
           == std::vector<std::string>{"DECOMMISSIONED"};
  }));
  CHECK(
      eventually([&] { return says(driver, "Asked to decommission executor"); },
                 patience_with_jvms));
  // Its place is taken where there is room.
  CHECK(eventually(
      [&] {
        return states_on(cluster, staying)
               == std::vector<std::string>(2, "RUNNING");
      },
      patience_with_jvms));
  CHECK(leaving.process->result(patience_with_jvms).status == 0);
  std::ofstream{cluster.path("go")};
  auto result = driver.result(patience_with_jvms);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out.find("after: 28 " + staying.id + '\n') != std::string::npos);
}

TEST_CASE(
    "a worker that leaves serves outputs until the application has ended") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_master(cluster.master_options());
  auto leaving = cluster.start_worker(cluster.worker_options());
  auto go = cluster.path("go");
  std::vector<Process*> drivers;
  for (const auto& version : {versions.front(), versions.back()})
    drivers.push_back(&cluster.submit(
        version, {"--conf", "spark.shuffle.service.enabled=true", "--conf",
                  "spark.decommission.enabled=true", "--conf",
                  "spark.cores.max=1", program("outlive.py"), go}));
  for (auto* driver : drivers)
    await_output(*driver, "ready");
  REQUIRE(cluster.run({"decommission", leaving.id}).status == 0);
  for (auto* driver : drivers)
    await_output(*driver, "idle: 0");
  cluster.start_worker(cluster.worker_options());
  std::ofstream{go};
  for (auto* driver : drivers) {
    auto result = driver->result(patience_with_jvms);
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(result.out == "ready\nidle: 0\nmaps: 200\n");
    CHECK(result.err.find("FetchFailed") == std::string::npos);
  }
  CHECK(leaving.process->result(patience_with_jvms).status == 0);
}
