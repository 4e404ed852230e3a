// Applications whose executors follow their load.

#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>
#include <string>

#include "tests/cluster/job_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// Settings of a job whose executors follow its load, and may be idle for so long.
std::string elastic_within(const std::string& idle) {
  return R"("spark.dynamicAllocation.enabled": "true",
         "spark.dynamicAllocation.schedulerBacklogTimeout": "1s",
         "spark.executor.memory": "128m",
         "spark.dynamicAllocation.executorIdleTimeout": ")"
         + idle + '"';
}

const std::string elastic = elastic_within("1s");

/// Options of a run whose executors follow its load, too. A busy machine sees each step.
const std::vector<std::string> elastic_run{
    "--conf", "spark.dynamicAllocation.enabled=true",
    "--conf", "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout=5s",
    "--conf", "spark.executor.memory=128m"};

/// 0: it is gone.
pid_t parent_of(pid_t pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/status"};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("PPid:"))
      return static_cast<pid_t>(std::stol(line.substr(5)));
  return 0;
}

/// Each of the four tasks or instances has said so once.
void check_done_by_all(Process& job) {
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "done\ndone\ndone\ndone\n");
}

/// Four cores. The first task waits for `go`, the others for `some`.
struct ElasticCluster : JobCluster {
  ElasticCluster() : JobCluster{0} {
    master = &start_master();
    for (int i = 0; i < 4; ++i)
      start_core("work-" + std::to_string(i));
  }

  Process& start(const std::string& conf = elastic) {
    return start_job(
        std::string{range_of_4}
            + R"(["sh", "-c", "f=some; [ $STOKER_TASK = 0 ] && f=go;)"
              R"( until [ -e $f ]; do sleep 0.05; done; echo done"], )"
            + here() + "}",
        conf);
  }

  void touch(const std::string& name) const {
    std::ofstream{path(name)};
  }

  /// What `stoker explain` says of the last application.
  boost::json::object explanation() {
    auto id = status().at("active_apps").at(0).at("id").as_string();
    auto result = run({"explain", std::string{id}, "--json"});
    REQUIRE(result.status == 0);
    return boost::json::parse(result.out).as_object();
  }

  /// Executors that the master says it has; 0: there is no master.
  std::int64_t count_there() {
    auto said = status().at("active_apps").as_array();
    return said.empty() ? 0 : explanation().at("executors").as_int64();
  }

  /// Executors that run no task.
  std::vector<pid_t> idle_executors() {
    auto result = executors();
    for (auto task : running("f=some;"))
      for (auto pid = task; pid > 1; pid = parent_of(pid))
        std::erase(result, pid);
    return result;
  }

  void await_executors(std::size_t count) {
    REQUIRE(eventually([&] { return executors().size() == count; }));
  }

  Process* master;
};

} // namespace

TEST_CASE("a job's executors come with its tasks, and go when they are idle") {
  ElasticCluster cluster;
  auto& job = cluster.start();
  std::set<std::size_t> seen;
  REQUIRE(eventually([&] {
    auto count = cluster.executors().size();
    seen.insert(count);
    return count == 4;
  }));
  // One at first, for the first second.
  CHECK(seen.contains(1));
  cluster.touch("some");
  cluster.await_executors(1);
  cluster.go();
  check_done_by_all(job);
}

TEST_CASE("executors that idle are another application's next") {
  ElasticCluster cluster;
  auto& first = cluster.start();
  cluster.await_executors(4);
  auto& second = cluster.start_job(
      R"({"name": "b", "input": {"range": 3}, "command": ["echo", "second"]})",
      elastic);
  cluster.touch("some");
  auto result = second.result();
  INFO(result.err);
  CHECK(result.status == 0);
  cluster.go();
  CHECK(first.result().status == 0);
}

TEST_CASE("executors go on coming when the master dies in between") {
  ElasticCluster cluster;
  auto& job = cluster.start();
  cluster.await_executors(1);
  cluster.master->send(SIGKILL);
  cluster.master->result();
  cluster.start_master();
  cluster.await_executors(4);
  cluster.touch("some");
  cluster.await_executors(1);
  cluster.go();
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
}

TEST_CASE("an executor that dies is replaced as long as there is work for it") {
  ElasticCluster cluster;
  auto& job = cluster.start();
  cluster.await_executors(4);
  auto before = cluster.executors();
  ::kill(before.front(), SIGKILL);
  REQUIRE(eventually([&] {
    auto now = cluster.executors();
    return now.size() == 4
           && std::find(now.begin(), now.end(), before.front()) == now.end();
  }));
  cluster.touch("some");
  cluster.go();
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
}

TEST_CASE("the instances of a run come step by step, and no more than may be") {
  ElasticCluster cluster;
  auto options = elastic_run;
  options.insert(options.end(),
                 {"--conf", "spark.dynamicAllocation.maxExecutors=3"});
  auto& run = cluster.start_script(
      6, "until [ -e some ]; do sleep 0.05; done; echo done", options);
  std::set<std::int64_t> seen;
  REQUIRE(eventually([&] {
    seen.insert(cluster.count_there());
    return seen.contains(3);
  }));
  CHECK(seen.contains(1));
  auto explanation = cluster.explanation();
  CHECK(explanation.at("target") == 3);
  CHECK(explanation.at("pending") == 0);
  cluster.touch("some");
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out).size() == 6);
}

TEST_CASE("a run goes on growing when its master has died and another leads") {
  ElasticCluster cluster;
  auto& run = cluster.start_script(
      4, "until [ -e some ]; do sleep 0.05; done; echo done", elastic_run);
  REQUIRE(eventually([&] { return cluster.count_there() == 1; }));
  cluster.master->send(SIGKILL);
  cluster.master->result();
  cluster.start_master();
  REQUIRE(eventually([&] { return cluster.count_there() == 4; }));
  CHECK(cluster.explanation().at("target") == 4);
  cluster.touch("some");
  check_done_by_all(run);
}

TEST_CASE("nothing is left of an application whose driver is killed while it "
          "grows") {
  ElasticCluster cluster;
  auto& job = cluster.start();
  REQUIRE(eventually([&] { return cluster.executors().size() >= 2; }));
  job.send(SIGKILL);
  job.result();
  cluster.await_executors(0);
  REQUIRE(eventually([&] {
    return values_of(cluster.status().at("workers"), "cores_used")
           == std::vector<std::string>(4, "0");
  }));
}

TEST_CASE("an executor that dies while it is being removed is counted once") {
  ElasticCluster cluster;
  auto& job = cluster.start(elastic_within("5s"));
  cluster.await_executors(4);
  cluster.touch("some");
  REQUIRE(eventually([&] { return cluster.idle_executors().size() == 3; }));
  auto idle = cluster.idle_executors();
  // What has ended there is known to the driver, too.
  REQUIRE(eventually(
      [&] { return cluster.explanation().at("tasks").at("running") == 1; }));
  // They do not end when they are asked to, so that they can die meanwhile.
  for (auto pid : idle)
    ::kill(pid, SIGSTOP);
  REQUIRE(eventually([&] { return cluster.count_there() == 1; }));
  for (auto pid : idle)
    ::kill(pid, SIGKILL);
  cluster.await_executors(1);
  CHECK(cluster.explanation().at("target") == 1);
  CHECK(cluster.count_there() == 1);
  cluster.go();
  check_done_by_all(job);
}

TEST_CASE("a second attempt gets an executor of its own when the only one is "
          "busy with the first") {
  ElasticCluster cluster;
  // Nothing but the first attempt at the last task takes long, for ever.
  auto& job = cluster.start_job(
      std::string{range_of_4}
          + R"(["sh", "-c", "if [ $STOKER_TASK.$STOKER_ATTEMPT = 3.0 ]; then)"
            R"( until [ -e go ]; do sleep 0.05; done; fi; echo done"], )"
          + cluster.here() + "}",
      elastic + R"(, "spark.speculation": "true")");
  check_done_by_all(job);
}

TEST_CASE("executors of a worker that is decommissioned leave when their tasks "
          "have ended") {
  JobCluster cluster{0};
  cluster.start_master();
  auto leaving = cluster.start_worker();
  auto& job = cluster.start_job(
      R"({"name": "a", "input": {"range": 2}, "command": ["sh", "-c",
          "touch began$STOKER_TASK; until [ -e go$STOKER_TASK ]; do sleep 0.05; done;)"
      R"( echo done"], )"
      + cluster.here() + "}");
  REQUIRE(eventually([&] { return cluster.executors().size() == 2; }));
  REQUIRE(eventually([&] {
    return std::ifstream{cluster.path("began0")}.is_open()
           && std::ifstream{cluster.path("began1")}.is_open();
  }));
  CHECK(cluster.run({"decommission", leaving.id}).status == 0);
  std::ofstream{cluster.path("go0")};
  // Its executor ends, though its job goes on.
  CHECK(eventually([&] { return cluster.executors().size() == 1; }));
  std::ofstream{cluster.path("go1")};
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "done\ndone\n");
  CHECK(leaving.process->result().status == 0);
}
