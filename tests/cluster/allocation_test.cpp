// Applications whose executors follow their load.

#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>

#include "tests/cluster/job_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

constexpr const char* elastic = R"("spark.dynamicAllocation.enabled": "true",
         "spark.dynamicAllocation.schedulerBacklogTimeout": "1s",
         "spark.dynamicAllocation.executorIdleTimeout": "1s",
         "spark.executor.memory": "128m")";

/// Four cores. The first task waits for `go`, the others for `some`.
struct ElasticCluster : JobCluster {
  ElasticCluster() : JobCluster{0} {
    master = &start_master();
    for (int i = 0; i < 4; ++i)
      start_core("work-" + std::to_string(i));
  }

  Process& start(const std::string& more = {}) {
    return start_job(
        std::string{range_of_4}
            + R"(["sh", "-c", "f=some; [ $STOKER_TASK = 0 ] && f=go;)"
              R"( until [ -e $f ]; do sleep 0.05; done; echo done"], )"
            + here() + more + "}",
        elastic);
  }

  void touch(const std::string& name) const {
    std::ofstream{path(name)};
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
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "done\ndone\ndone\ndone\n");
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
