// Executors of PySpark: their Python, their processes and the files that they write.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/pyspark/pyspark_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

/// The processes of an attempt of escaping.py's task: the JVM first.
using Attempt = std::vector<pid_t>;

/// Waits for an attempt that is not one of the `known` files.
Attempt next_attempt(const std::string& directory, std::set<fs::path>& known) {
  Attempt result;
  auto look = [&] {
    for (const auto& x : fs::directory_iterator{directory})
      if (x.path().extension().empty() && known.insert(x.path()).second) {
        std::istringstream ids{contents_of(x.path())};
        for (pid_t pid = 0; ids >> pid;)
          result.push_back(pid);
        return true;
      }
    return false;
  };
  REQUIRE(eventually(look, patience_with_jvms));
  REQUIRE(result.size() == 6);
  return result;
}

bool all_have_ended(const Attempt& x) {
  return std::none_of(x.begin(), x.end(), lives);
}

/// The JVMs of executors.
std::vector<pid_t> executors_in(const Cluster& cluster) {
  std::vector<pid_t> result;
  for (const auto& [pid, command] : cluster.processes())
    if (command.find("java -cp") != std::string::npos
        && command.find("CoarseGrainedExecutorBackend") != std::string::npos)
      result.push_back(pid);
  return result;
}

/// The two applications of a test, once they have ended.
boost::json::array both_ended(Cluster& cluster) {
  boost::json::array result;
  REQUIRE(eventually([&] {
    result = cluster.status().at("completed_apps").as_array();
    return result.size() == 2;
  }));
  return result;
}

} // namespace

TEST_CASE("executors run the Python that their driver names") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_master(cluster.master_options());
  // A worker that was started inside an environment with another Python.
  auto usual = cluster.environment;
  auto other = cluster.path("other");
  fs::create_directory(other);
  auto python = other + "/python3";
  std::ofstream{python} << "#!/bin/sh\necho this Python is unfit >&2\nexit 7\n";
  fs::permissions(python, fs::perms::owner_all);
  cluster.environment["PATH"] = other + ':' + usual["PATH"];
  cluster.environment["PYSPARK_PYTHON"] = python;
  cluster.add_worker(2);
  cluster.environment = usual;
  std::ofstream{cluster.path("go")};
  auto submit = [&](std::vector<std::string> words) -> Process& {
    words.insert(words.end(), {"--conf", "spark.cores.max=1",
                               program("held.py"), cluster.path("go"), "1"});
    return cluster.submit(versions.back(), words);
  };
  auto& named = submit({});
  auto& on_path = submit({"--conf", "spark.pyspark.python=python3", "--conf",
                          "spark.pyspark.driver.python=/usr/bin/python3"});
  auto result = named.result(patience_with_jvms);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "sum: 0\n");
  // The task fails, and not the executor.
  auto refused = on_path.result(patience_with_jvms);
  INFO(refused.err);
  CHECK(refused.status != 0);
  CHECK(refused.err.find("this Python is unfit") != std::string::npos);
  for (const auto& app : both_ended(cluster))
    CHECK(app.at("executors_started") == 1);
}

TEST_CASE("processes of tasks end when their executor or driver ends") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_master(cluster.master_options());
  cluster.add_worker(1);
  auto attempts = cluster.path("attempts");
  fs::create_directory(attempts);
  std::set<fs::path> known;
  auto& driver
      = cluster.submit(versions.back(), {program("escaping.py"), attempts});
  auto first = next_attempt(attempts, known);
  REQUIRE(::kill(first.front(), SIGKILL) == 0);
  auto second = next_attempt(attempts, known);
  // The only core was not given away before.
  CHECK(all_have_ended(first));
  driver.send_to_group(SIGKILL);
  CHECK(eventually([&] { return all_have_ended(second); }));
  CHECK(text_of(ended_application(cluster), "state") == "FAILED");
  CHECK(eventually([&] {
    return cluster.status().at("workers").at(0).at("cores_used") == 0;
  }));
  CHECK(executors_in(cluster).empty());
}

TEST_CASE(
    "a table is complete when an executor is killed while it is written") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_all();
  auto go = cluster.path("go");
  auto started = cluster.path("started");
  auto logs = cluster.path("logs");
  fs::create_directory(logs);
  auto& driver = cluster.submit(
      versions.back(),
      {"--conf", "spark.executor.cores=1", "--conf", "spark.cores.max=2",
       "--conf", "spark.eventLog.enabled=true", "--conf",
       "spark.eventLog.compress=false", "--conf", "spark.eventLog.dir=" + logs,
       program("writing.py"), started, go});
  REQUIRE(eventually([&] { return fs::exists(started) || !driver.running(); },
                     patience_with_jvms));
  INFO(driver.err());
  REQUIRE(fs::exists(started));
  REQUIRE(eventually([&] { return executors_in(cluster).size() == 2; },
                     patience_with_jvms));
  REQUIRE(::kill(executors_in(cluster).front(), SIGKILL) == 0);
  std::ofstream{go};
  auto result = driver.result(patience_with_jvms);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "rows: 2000 numbers: 2000\n");
  // A relative path is one of the driver's directory, whichever executors write there.
  CHECK(fs::exists(cluster.path("table/_SUCCESS")));
  CHECK_FALSE(fs::exists(cluster.path("table/_temporary")));
  // The driver learns the exit status before it takes the lost connection for the reason.
  auto said = [&](const std::string& words) {
    auto files = fs::recursive_directory_iterator{logs};
    return std::any_of(begin(files), end(files), [&](const auto& x) {
      return x.is_regular_file()
             && contents_of(x.path()).find(words) != std::string::npos;
    });
  };
  CHECK(said("\"Removed Reason\":\"Command exited with code 137\""));
}

TEST_CASE("tasks may have a profile of their own, and executors of another "
          "profile are refused at once") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_all();
  auto& tasks = cluster.submit(
      versions.back(),
      {"--name", "tasks", "--conf", "spark.executor.cores=2", "--conf",
       "spark.cores.max=2", program("profiles.py"), "tasks"});
  auto& executors = cluster.submit(
      versions.at(1),
      {"--name", "executors", "--conf", "spark.dynamicAllocation.enabled=true",
       "--conf", "spark.dynamicAllocation.shuffleTracking.enabled=true",
       program("profiles.py"), "executors"});
  auto result = tasks.result(patience_with_jvms);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "sum: 56\n");
  auto refused = executors.result(patience_with_jvms);
  INFO(refused.err);
  CHECK(refused.status != 0);
  CHECK(refused.err.find("resource profile 1") != std::string::npos);
  for (const auto& app : both_ended(cluster))
    CHECK(text_of(app, "state")
          == (text_of(app, "name") == "tasks" ? "FINISHED" : "FAILED"));
}
