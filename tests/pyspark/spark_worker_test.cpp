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
  for (const auto& version : {versions.front(), versions.back()}) {
    auto& worker
        = cluster.start_spark_worker(version, {cluster.spark_master()});
    INFO(worker.description());
    REQUIRE(eventually([&] { return has_worker(cluster, version); },
                       patience_with_jvms));
    std::ofstream{cluster.path("go")};
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

TEST_CASE("a worker of Spark's own goes on under the standby of a killed "
          "leader") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  const auto& version = versions.back();
  PySparkCluster cluster{versions};
  auto& leader = cluster.start_master(cluster.master_options());
  auto standby_port = cluster.reserve_port();
  auto& standby = cluster.stoker(
      {"master", "--port", std::to_string(standby_port), "--spark-port",
       std::to_string(cluster.reserve_port()), "--data", cluster.path("data")});
  await(standby, "STANDBY");
  cluster.environment["STOKER_MASTER"]
      += ",127.0.0.1:" + std::to_string(standby_port);
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
  boost::json::array ended;
  REQUIRE(eventually([&] {
    ended = cluster.status().at("completed_apps").as_array();
    return !ended.empty();
  }));
  CHECK(text_of(ended.front(), "state") == "FINISHED");
  // The executor that the first leader gave went on.
  CHECK(ended.front().at("executors_started") == 1);
}
