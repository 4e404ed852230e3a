// Unmodified workers of Spark's own in clusters of ours.

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/pyspark/pyspark_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

/// Whether a worker of Spark's is registered, and has reported.
bool has_worker(Cluster& cluster, const std::string& version) {
  auto status = cluster.status();
  for (const auto& x : status.at("workers").as_array())
    if (text_of(x, "state") == "ALIVE" && x.at("only_spark").as_bool()
        && x.at("spark_versions").as_array()
               == boost::json::array{boost::json::string{version}})
      return true;
  return false;
}

} // namespace

TEST_CASE("workers of Spark's own run the programs of their versions") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_master(cluster.master_options());
  std::ofstream{cluster.path("go")};
  // The second one looks the same as the last one in what it says.
  for (const auto& version :
       {versions.front(), versions.at(versions.size() - 2)}) {
    auto& worker
        = cluster.start_spark_worker(version, {cluster.spark_master()});
    INFO(worker.description());
    REQUIRE(eventually([&] { return has_worker(cluster, version); },
                       patience_with_jvms));
    auto& driver = cluster.submit(version, {program("patient.py"),
                                            cluster.path("started " + version),
                                            cluster.path("go")});
    auto result = driver.result(patience_with_jvms);
    INFO(result.err);
    CHECK(result.out == "sum: 120\nsums: [(0, 132), (1, 144)]\n");
  }
  CHECK(values_of(cluster.status().at("completed_apps"), "state")
        == std::vector<std::string>{"FINISHED", "FINISHED"});
}

TEST_CASE("a worker of Spark's own runs drivers in cluster mode") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  const auto& version = versions.at(versions.size() - 2);
  PySparkCluster cluster{versions};
  cluster.start_master(cluster.master_options());
  cluster.start_spark_worker(version, {cluster.spark_master()});
  REQUIRE(eventually([&] { return has_worker(cluster, version); },
                     patience_with_jvms));
  std::ofstream{cluster.path("go")};
  auto& submission = cluster.submit_to_cluster(
      version, false, {"--conf", "spark.cores.max=1"},
      {program("patient.py"), cluster.path("started"), cluster.path("go")});
  auto result = submission.result(patience_with_jvms);
  INFO(result.err);
  CHECK(result.status == 0);
  driver_in(cluster, "FINISHED");
  CHECK(text_of(ended_application(cluster), "state") == "FINISHED");
}

TEST_CASE("a worker of Spark's own goes on under the standby of a killed "
          "leader") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  const auto& version = versions.back();
  PySparkCluster cluster{versions};
  auto [leader, standby] = cluster.start_leader_and_standby();
  // It knows one master only: the other one has to call it.
  cluster.start_spark_worker(version, {cluster.spark_master()});
  REQUIRE(eventually([&] { return has_worker(cluster, version); },
                     patience_with_jvms));
  auto started = cluster.path("started");
  auto& driver = cluster.submit(
      version, {program("patient.py"), started, cluster.path("go")});
  auto runs = [&] { return fs::exists(started) || !driver.running(); };
  REQUIRE(eventually(runs, patience_with_jvms));
  leader.send(SIGKILL);
  await(standby, "ALIVE");
  CHECK(eventually([&] { return has_worker(cluster, version); },
                   patience_with_jvms));
  std::ofstream{cluster.path("go")};
  auto result = driver.result(patience_with_jvms);
  INFO(result.err);
  CHECK(result.out == "sum: 120\nsums: [(0, 132), (1, 144)]\n");
  auto app = ended_application(cluster);
  CHECK(text_of(app, "state") == "FINISHED");
  // The executor that the first leader gave went on.
  CHECK(app.at("executors_started") == 1);
}
