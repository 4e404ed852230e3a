// Drivers of PySpark: how they end, where they are reached, and which masters they know.

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/pyspark/pyspark_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

/// The state of the application of that name, once it has ended.
std::string end_of(Cluster& cluster, const std::string& name) {
  std::string result;
  eventually(
      [&] {
        auto status = cluster.status();
        for (const auto& x : status.at("completed_apps").as_array())
          if (text_of(x, "name") == name)
            result = text_of(x, "state");
        return !result.empty();
      },
      patience_with_jvms);
  return result;
}

/// Returns true if the log of events of an application is complete, in any version of its form.
bool has_complete_log(const std::string& directory, const std::string& id) {
  auto found = false;
  for (const auto& x : fs::recursive_directory_iterator{directory}) {
    auto name = x.path().filename().string();
    if (name.find(id) == std::string::npos || x.is_directory()
        || name.starts_with("events_"))
      continue;
    if (name.ends_with(".inprogress"))
      return false;
    found = true;
  }
  return found;
}

} // namespace

TEST_CASE("a driver completes its log of events unless it is killed") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  // Without a worker, so all of them wait in their first job.
  cluster.start_master(cluster.master_options());
  auto logs = cluster.path("logs");
  fs::create_directory(logs);
  std::map<std::string, Process*> drivers;
  for (const auto* end : {"interrupted", "terminated", "killed",
                          "ended by the master", "ended while it is stopped"})
    drivers[end] = &cluster.submit(
        versions.back(),
        {"--name", end, "--conf", "spark.eventLog.enabled=true", "--conf",
         "spark.eventLog.dir=file:" + logs, "--conf",
         "spark.starvation.timeout=1s", program("held.py"), cluster.path("go"),
         "1"});
  for (const auto& [end, driver] : drivers) {
    INFO(end << '\n' << driver->err());
    REQUIRE(eventually(
        [&, x = driver] { return says(*x, "Initial job has not accepted"); },
        patience_with_jvms));
  }
  std::map<std::string, std::string> ids;
  auto status = cluster.status();
  for (const auto& x : status.at("active_apps").as_array())
    ids[text_of(x, "name")] = text_of(x, "id");
  REQUIRE(ids.size() == drivers.size());
  drivers["interrupted"]->send_to_group(SIGINT);
  drivers["terminated"]->send_to_group(SIGTERM);
  drivers["killed"]->send_to_group(SIGKILL);
  CHECK(cluster.run({"kill", ids["ended by the master"]}).status == 0);
  auto& stopped = *drivers["ended while it is stopped"];
  stopped.send_to_group(SIGSTOP);
  CHECK(cluster.run({"kill", ids["ended while it is stopped"]}).status == 0);
  CHECK(end_of(cluster, "ended while it is stopped") == "KILLED");
  stopped.send_to_group(SIGCONT);
  for (const auto& [end, driver] : drivers) {
    INFO(end);
    CHECK(driver->result(patience_with_jvms).status != 0);
  }
  CHECK(end_of(cluster, "interrupted") == "FINISHED");
  CHECK(end_of(cluster, "terminated") == "FINISHED");
  CHECK(end_of(cluster, "killed") == "FAILED");
  CHECK(end_of(cluster, "ended by the master") == "KILLED");
  CHECK(says(stopped, "Master removed our application: killed on request"));
  for (const auto& [end, id] : ids) {
    INFO(end);
    CHECK(has_complete_log(logs, id) == (end != "killed"));
  }
}

TEST_CASE("a driver may have an IPv6 address") {
  if (contents_of("/proc/sys/net/ipv6/conf/lo/disable_ipv6") != "0\n")
    return skip("the machine has no IPv6");
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.environment["STOKER_MASTER"]
      = "stoker://[::1]:" + std::to_string(cluster.port());
  cluster.environment["SPARK_LOCAL_IP"] = "::1";
  auto words = cluster.master_options();
  words.insert(words.end(), {"--host", "::1"});
  cluster.start_master(words);
  cluster.add_worker(1, {"--host", "::1"});
  std::ofstream{cluster.path("go")};
  auto& driver = cluster.submit(
      versions.back(),
      {"--master", "spark://[::1]:" + std::to_string(cluster.spark_port),
       program("held.py"), cluster.path("go"), "1"});
  auto result = driver.result(patience_with_jvms);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "sum: 0\n");
}

TEST_CASE("drivers and executors find the classes of --jars") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_all();
  fs::create_directory(cluster.path("a b"));
  std::vector<std::string> jars{cluster.path("a b/one.jar"),
                                cluster.path("two.jar")};
  cluster.make_jar(versions.back(), "One", jars.front());
  cluster.make_jar(versions.back(), "Two", jars.back());
  std::vector<std::string> options{"--jars", jars.front() + ',' + jars.back(),
                                   "--conf", "spark.cores.max=1"};
  const std::string expected = "One 0 Two 0; One 1 Two 1; One 2 Two 2; "
                               "One 3 Two 3\n";
  auto words = options;
  words.push_back(program("jars.py"));
  auto& driver = cluster.submit(versions.back(), words);
  auto submitted = cluster
                       .submit_to_cluster(versions.back(), true, options,
                                          {program("jars.py")})
                       .result(patience_with_jvms);
  INFO(submitted.err);
  CHECK(submitted.status == 0);
  auto result = driver.result(patience_with_jvms);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == expected);
  auto id = text_of(driver_in(cluster, "FINISHED"), "id");
  CHECK(cluster.run({"logs", id}).out == expected);
}

TEST_CASE("a driver with a public name is reached at its own address") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_master(cluster.master_options());
  // The driver's page decides which of several Sparks its executors have.
  cluster.add_worker(1);
  std::ofstream{cluster.path("go")};
  cluster.environment["SPARK_PUBLIC_DNS"] = "spark.example.org";
  auto& driver = cluster.submit(
      versions.front(),
      {"--conf", "spark.driver.bindAddress=0.0.0.0", "--conf",
       "spark.driver.host=localhost", "--conf",
       "spark.driver.port=" + std::to_string(cluster.reserve_port()), "--conf",
       "spark.blockManager.port=0", "--conf", "spark.ui.enabled=true",
       program("held.py"), cluster.path("go"), "1"});
  auto result = driver.result(patience_with_jvms);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "sum: 0\n");
}

TEST_CASE("a driver that was submitted by REST finds the standby of a killed "
          "leader") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  auto [leader, standby] = cluster.start_leader_and_standby();
  cluster.add_worker(3);
  auto started = cluster.path("started");
  auto go = cluster.path("go");
  auto submitted
      = cluster
            .submit_to_cluster(
                versions.back(), true,
                {"--master",
                 "spark://127.0.0.1:" + std::to_string(cluster.rest_port)
                     + ",127.0.0.1:"
                     + std::to_string(cluster.standby_spark_port),
                 "--supervise", "--conf", "spark.cores.max=1"},
                {program("patient.py"), started, go})
            .result(patience_with_jvms);
  INFO(submitted.err);
  REQUIRE(submitted.status == 0);
  REQUIRE(eventually([&] { return fs::exists(started); }, patience_with_jvms));
  leader.send(SIGKILL);
  await(standby, "ALIVE");
  auto jvm_of_driver = [&] {
    for (const auto& [pid, command] : cluster.processes())
      if (command.find("java -cp") != std::string::npos
          && command.find("DriverWrapper") != std::string::npos)
        return pid;
    return pid_t{0};
  };
  auto first = jvm_of_driver();
  REQUIRE(first > 0);
  REQUIRE(::kill(first, SIGKILL) == 0);
  std::ofstream{go};
  auto driver = driver_in(cluster, "FINISHED");
  CHECK(driver.at("restarts") == 1);
  CHECK(cluster.run({"logs", text_of(driver, "id")})
            .out.ends_with("sum: 120\nsums: [(0, 132), (1, 144)]\n"));
}
