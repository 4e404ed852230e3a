// Jobs of barrier stages while the master dies: the one that runs is not disturbed, and those
// that wait keep their order.

#include <signal.h>

#include <algorithm>
#include <fstream>

#include "tests/cluster/job_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// Four cores on two workers. Each job is a barrier stage of four tasks, with executors that
/// follow the load.
struct GangJobs : JobCluster {
  GangJobs() : JobCluster(0) {
  }

  /// Its tasks write down that they start, and end when a file `go-NAME` is there.
  Process& start_gang(const std::string& name) {
    auto file = path(name + ".json");
    std::ofstream{file}
        << R"({"name": ")" << name
        << R"(", "conf": {"spark.dynamicAllocation.enabled": "true"},
           "stages": [{"name": "gang", "input": {"range": 4}, "barrier": true, )"
        << here() << R"(, "env": {"STOKER": ")" STOKER_PROGRAM
        << R"("}, "command": ["sh", "-c", "echo )" << name
        << R"( >> order; echo $$ $STOKER_ATTEMPT >> starts-)" << name
        << R"(-$RANK; until [ -e go-)" << name
        << R"( ]; do sleep 0.02; done; $STOKER barrier && echo $RANK"]}]})";
    return stoker({"job", file});
  }

  void let_go(const std::string& name) const {
    std::ofstream{path("go-" + name)};
  }

  /// Pid and attempt of each start of a task, by task.
  [[nodiscard]] std::vector<std::vector<std::string>>
  starts_of(const std::string& name) const {
    std::vector<std::vector<std::string>> result;
    for (int i = 0; i < 4; ++i)
      result.push_back(lines_of(
          contents_of(path("starts-" + name + '-' + std::to_string(i)))));
    return result;
  }

  [[nodiscard]] bool all_run(const std::string& name) const {
    auto starts = starts_of(name);
    return std::none_of(starts.begin(), starts.end(),
                        [](const auto& x) { return x.empty(); });
  }

  /// Whether the applications have so many executors that run, in order of their coming.
  bool have_executors(const std::vector<std::size_t>& wanted) {
    std::vector<std::size_t> result;
    auto status = this->status();
    for (const auto& app : status.at("active_apps").as_array()) {
      auto states = values_of(app.at("executors"), "state");
      result.push_back(static_cast<std::size_t>(
          std::count(states.begin(), states.end(), "RUNNING")));
    }
    return result == wanted;
  }

  /// Whether so many jobs wait for all of their executors.
  bool wait(std::size_t jobs) {
    auto stages = run({"status", "stages"}).out;
    std::size_t result = 0;
    for (const auto& line : lines_of(stages))
      if (line.find("4 tasks wait for 4 slots at once") != std::string::npos)
        ++result;
    return result == jobs;
  }
};

void check_good_end(Process& job) {
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out) == std::vector<std::string>{"0", "1", "2", "3"});
  CHECK(result.err.find("tried again") == std::string::npos);
}

} // namespace

TEST_CASE("gangs run on when their master is killed, and those that wait keep "
          "their order") {
  auto with_standby = GENERATE(false, true);
  INFO("with a standby: " << with_standby);
  GangJobs cluster;
  auto port = cluster.reserve_port();
  if (with_standby)
    cluster.environment["STOKER_MASTER"]
        += ",127.0.0.1:" + std::to_string(port);
  auto& master = cluster.start_master();
  Process* next = nullptr;
  if (with_standby) {
    next = &cluster.stoker({"master", "--port", std::to_string(port), "--data",
                            cluster.path("data")});
    await(*next, "STANDBY");
  }
  for (int i = 0; i < 2; ++i)
    cluster.start_worker();
  auto& first = cluster.start_gang("first");
  REQUIRE(eventually([&] { return cluster.all_run("first"); }));
  // What its driver has said of it may be older.
  REQUIRE(eventually([&] { return cluster.wait(0); }));
  auto started = cluster.starts_of("first");
  auto& second = cluster.start_gang("second");
  REQUIRE(eventually([&] { return cluster.wait(1); }));
  auto& third = cluster.start_gang("third");
  REQUIRE(eventually([&] { return cluster.wait(2); }));
  master.send(SIGKILL);
  master.result();
  if (!with_standby)
    next = &cluster.start_master();
  await(*next, "ALIVE at");
  REQUIRE(eventually([&] { return cluster.have_executors({4, 0, 0}); }));
  auto& fourth = cluster.start_gang("fourth");
  REQUIRE(eventually([&] { return cluster.wait(3); }));
  for (const auto& task : started) {
    CHECK(task.front().ends_with(" 0"));
    CHECK(lives(std::stoi(task.front())));
  }
  cluster.let_go("first");
  check_good_end(first);
  REQUIRE(eventually([&] { return cluster.all_run("second"); }));
  REQUIRE(eventually([&] { return cluster.have_executors({4, 0, 0}); }));
  cluster.let_go("second");
  check_good_end(second);
  cluster.let_go("third");
  check_good_end(third);
  cluster.let_go("fourth");
  check_good_end(fourth);
  // None was started twice.
  CHECK(cluster.starts_of("first") == started);
  std::vector<std::string> order;
  for (const auto* name : {"first", "second", "third", "fourth"})
    order.insert(order.end(), 4, name);
  CHECK(lines_of(contents_of(cluster.path("order"))) == order);
}
