// Unmodified programs of PySpark on clusters of ours.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/gateway/socket_client.hpp"
#include "tests/pyspark/pyspark_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* turnovers = "Austria: 21637.92 in 78 orders\n"
                                  "Japan: 12470.18 in 47 orders\n"
                                  "Ghana: 7047.17 in 30 orders\n"
                                  "Chile: 6599.22 in 31 orders\n"
                                  "Denmark: 4478.19 in 14 orders\n";

constexpr const char* turnover_table = "country,orders,turnover\n"
                                       "Austria,78,21637.92\n"
                                       "Japan,47,12470.18\n"
                                       "Ghana,30,7047.17\n"
                                       "Chile,31,6599.22\n"
                                       "Denmark,14,4478.19\n";

/// The only CSV file in a directory.
std::string table_in(const std::string& directory) {
  std::string result;
  for (const auto& entry : fs::directory_iterator{directory})
    if (entry.path().extension() == ".csv")
      result += contents_of(entry.path());
  return result;
}

/// Checks that a driver has ended well and printed this.
void check_output(Process& driver, const std::string& out) {
  auto result = driver.result(patience_with_jvms);
  INFO(driver.description() << '\n' << result.err);
  CHECK(result.status == 0);
  CHECK(result.out == out);
}

/// Options of a driver whose executors come and go.
std::vector<std::string> allocation(const std::vector<std::string>& settings) {
  std::vector<std::string> result;
  auto add = [&](const std::string& setting) {
    result.emplace_back("--conf");
    result.push_back("spark.dynamicAllocation." + setting);
  };
  add("enabled=true");
  add("executorIdleTimeout=2s");
  for (const auto& x : settings)
    add(x);
  return result;
}

} // namespace

TEST_CASE("programs of all versions of Spark run at once on one cluster") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  auto& local = cluster.start_all();
  std::vector<Process*> drivers;
  for (const auto& version : versions)
    drivers.push_back(&cluster.submit(
        version, {"--name", version, "--conf", "spark.cores.max=1",
                  example("sales.py"), example("orders.csv"),
                  example("customers.csv"), cluster.path(version)}));
  for (auto* driver : drivers)
    check_output(*driver, turnovers);
  for (const auto& version : versions) {
    CHECK(table_in(cluster.path(version)) == turnover_table);
    CHECK(says(local, " has Spark " + version));
  }
  REQUIRE(eventually([&] {
    return cluster.status().at("completed_apps").as_array().size()
           == versions.size();
  }));
  auto status = cluster.status();
  for (const auto& app : status.at("completed_apps").as_array())
    CHECK(text_of(app, "state") == "FINISHED");
}

TEST_CASE(
    "pages of programs of all versions of Spark are served by the master") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  auto web_port = cluster.reserve_port();
  auto words = cluster.master_options();
  words.insert(words.end(), {"--web-port", std::to_string(web_port), "--conf",
                             "spark.ui.reverseProxy=true"});
  cluster.start_master(words);
  cluster.add_worker(1);
  for (const auto& version : versions) {
    INFO(version);
    auto go = cluster.path("go " + version);
    auto& driver = cluster.submit(
        version, {"--conf", "spark.ui.enabled=true", program("patient.py"),
                  cluster.path("started " + version), go});
    await_output(driver, "sum: ");
    auto active = cluster.status().at("active_apps").as_array();
    REQUIRE(active.size() == 1);
    auto page = "/proxy/" + text_of(active.front(), "id");
    auto get = [&](const std::string& path) {
      SocketClient client{web_port};
      client.send("GET " + page + path
                  + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    "\r\n");
      return client.receive(10'000'000);
    };
    auto shown = get("/jobs/");
    CHECK(shown.starts_with("HTTP/1.1 200 "));
    CHECK(shown.find("href=\"" + page + "/stages/\"") != std::string::npos);
    auto said = get("/api/v1/version");
    CHECK(said.starts_with("HTTP/1.1 200 "));
    CHECK(said.find('"' + version + '"') != std::string::npos);
    std::ofstream{go};
    CHECK(driver.result(patience_with_jvms).status == 0);
    REQUIRE(eventually(
        [&] { return cluster.status().at("active_apps").as_array().empty(); }));
  }
}

TEST_CASE("tasks of all versions of Spark know which GPUs are their own") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_master(cluster.master_options());
  cluster.add_worker(5, {"--resource", "gpu=a,b,c,d,e,f"});
  // Each version has one executor with one GPU, and all of them run at once.
  std::vector<Process*> drivers;
  for (const auto& version : versions)
    drivers.push_back(
        &cluster.submit(version, {"--conf", "spark.cores.max=1", "--conf",
                                  "spark.executor.resource.gpu.amount=1",
                                  "--conf", "spark.task.resource.gpu.amount=1",
                                  program("resources.py")}));
  for (auto* driver : drivers) {
    auto result = driver->result(patience_with_jvms);
    INFO(driver->description() << '\n' << result.err);
    CHECK(result.status == 0);
    INFO(result.out);
    REQUIRE(result.out.size() == 13);
    CHECK(result.out.substr(0, 9) == "tasks: ['");
    CHECK(std::string{"abcdef"}.find(result.out[9]) != std::string::npos);
    CHECK(result.out.substr(10) == "']\n");
  }
}

TEST_CASE("the tasks of a barrier stage of Spark hear each other") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_all();
  check_output(cluster.submit(versions.back(),
                              {"--conf", "spark.executor.cores=1", "--conf",
                               "spark.cores.max=2", example("fit.py")}),
               "y = 3.00 x + 1.00, the same in 2 tasks\n");
  CHECK(ended_application(cluster).at("executors_started") == 2);
}

TEST_CASE("Spark's dynamic allocation gets executors and gives them back") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_all();
  auto words = allocation({"shuffleTracking.enabled=true",
                           "shuffleTracking.timeout=2s", "maxExecutors=1"});
  words.push_back(program("dynamic.py"));
  check_output(cluster.submit(versions.back(), words),
               "before: 0\nafter: 1\nidle: 0\nagain: 1\n");
  CHECK(ended_application(cluster).at("executors_started") == 2);
}

TEST_CASE("outputs outlive the executors of all versions of Spark") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_master(cluster.master_options());
  auto count = static_cast<int>(versions.size());
  cluster.add_worker(count);
  auto go = cluster.path("go");
  std::vector<Process*> drivers;
  for (const auto& version : versions) {
    auto words = allocation({"maxExecutors=1"});
    words.insert(words.end(),
                 {"--conf", "spark.shuffle.service.enabled=true", "--conf",
                  "spark.executor.cores=1", program("outlive.py"), go});
    drivers.push_back(&cluster.submit(version, words));
  }
  for (auto* driver : drivers)
    await_output(*driver, "idle: 0");
  // The next executors run on a worker that is another one, though on the same machine: it has
  // more free cores whatever is placed first.
  cluster.add_worker(2 * count);
  std::ofstream{go};
  for (auto* driver : drivers)
    check_output(*driver, "ready\nidle: 0\nmaps: 200\n");
}

TEST_CASE("a driver of Spark goes on under the standby of a killed leader") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  auto [leader, standby] = cluster.start_leader_and_standby();
  cluster.start_worker(cluster.worker_options());
  auto started = cluster.path("started");
  auto& driver = cluster.submit(
      versions.back(), {program("patient.py"), started, cluster.path("go")});
  auto runs = [&] { return fs::exists(started) || !driver.running(); };
  REQUIRE(eventually(runs, patience_with_jvms));
  leader.send(SIGKILL);
  await(standby, "ALIVE");
  REQUIRE(eventually(
      [&] {
        return !driver.running()
               || driver.out().find("sum: 120") != std::string::npos;
      },
      patience_with_jvms));
  std::ofstream{cluster.path("go")};
  check_output(driver, "sum: 120\nsums: [(0, 132), (1, 144)]\n");
  auto app = ended_application(cluster);
  CHECK(text_of(app, "state") == "FINISHED");
  // The executor that the first leader gave went on.
  CHECK(app.at("executors_started") == 1);
}

TEST_CASE("programs run on the cluster in Spark's cluster mode") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  auto by_rest = GENERATE(false, true);
  INFO("by REST: " << by_rest);
  PySparkCluster cluster{versions};
  cluster.start_all();
  auto result
      = cluster
            .submit_to_cluster(versions.back(), by_rest,
                               {"--conf", "spark.cores.max=1"},
                               {example("sales.py"), example("orders.csv"),
                                example("customers.csv"), cluster.path("out")})
            .result(patience_with_jvms);
  INFO(result.err);
  REQUIRE(result.status == 0);
  auto id = text_of(driver_in(cluster, "FINISHED"), "id");
  CHECK(cluster.run({"logs", id}).out == turnovers);
  CHECK(table_in(cluster.path("out")) == turnover_table);
  CHECK(text_of(ended_application(cluster), "state") == "FINISHED");
  // It says how in its log, which is silent by default.
  CHECK(cluster.ask_about(versions.back(), "--status", id) == 0);
}

TEST_CASE("a supervised driver of Spark's is started again when it fails") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_all();
  cluster
      .submit_to_cluster(versions.front(), false, {"--supervise"},
                         {program("second_time.py"), cluster.path("first")})
      .result(patience_with_jvms);
  auto driver = driver_in(cluster, "FINISHED");
  CHECK(driver.at("restarts") == 1);
  CHECK(cluster.run({"logs", text_of(driver, "id")}).out
        == "it is the second time\n");
}

TEST_CASE("spark-submit ends a driver that runs on the cluster") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_all();
  auto started = cluster.path("started");
  cluster
      .submit_to_cluster(versions.back(), false, {},
                         {program("patient.py"), started, cluster.path("go")})
      .result(patience_with_jvms);
  REQUIRE(eventually([&] { return fs::exists(started); }, patience_with_jvms));
  auto id = text_of(driver_in(cluster, "RUNNING"), "id");
  CHECK(cluster.ask_about(versions.back(), "--kill", id) == 0);
  driver_in(cluster, "KILLED");
  // It has time to say that its application has ended.
  ended_application(cluster);
}

TEST_CASE("a PySpark driver runs on the cluster as any other program") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  cluster.start_all();
  std::vector<std::string> words{"submit", "--memory", "1g", "--"};
  auto submit = cluster.submit_words(
      versions.back(), {"--conf", "spark.executor.cores=1", "--conf",
                        "spark.cores.max=2", example("fit.py")});
  words.insert(words.end(), submit.begin(), submit.end());
  auto submitted = cluster.run(words);
  INFO(submitted.err);
  REQUIRE(submitted.status == 0);
  auto id = text_of(driver_in(cluster, "FINISHED"), "id");
  CHECK(cluster.run({"logs", id}).out
        == "y = 3.00 x + 1.00, the same in 2 tasks\n");
}
