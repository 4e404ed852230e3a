// Runs whose instances need each other: all start, or none does.

#include <signal.h>

#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// An instance waits until all of its gang are there, and until a file `go` is.
std::string meets(const Cluster& cluster, const std::string& name, int n) {
  auto mine = cluster.path("here-" + name + "-");
  return "touch " + mine + "$STOKER_INDEX; while [ $(ls " + mine
         + "* | wc -l) -lt " + std::to_string(n) + " ] || ! [ -e "
         + cluster.path("go") + " ]; do sleep 0.05; done";
}

std::vector<std::string> gang_of(int n) {
  return {"--conf", "stoker.executor.gang=" + std::to_string(n)};
}

void let_go(const Cluster& cluster) {
  std::ofstream{cluster.path("go")};
}

bool has_begun(const Cluster& cluster, const std::string& name, int index) {
  return std::ifstream{
      cluster.path("here-" + name + "-" + std::to_string(index))}
      .good();
}

/// 6 cores on 3 workers.
void start_three(Cluster& cluster) {
  for (int i = 0; i < 3; ++i)
    cluster.start_worker();
}

/// Executors of each active application, in order.
std::vector<std::size_t> executors(Cluster& cluster) {
  std::vector<std::size_t> result;
  auto status = cluster.status();
  for (const auto& app : status.at("active_apps").as_array())
    result.push_back(app.at("executors").as_array().size());
  return result;
}

} // namespace

TEST_CASE("two gangs of 4 on 6 cores run one after the other") {
  Cluster cluster;
  cluster.start_master();
  start_three(cluster);
  auto& first = cluster.start_script(4, meets(cluster, "a", 4), gang_of(4));
  REQUIRE(eventually([&] { return has_begun(cluster, "a", 3); }));
  auto& second = cluster.start_script(4, meets(cluster, "b", 4), gang_of(4));
  REQUIRE(eventually([&] {
    return executors(cluster) == std::vector<std::size_t>{4, 0};
  }));
  // What the second cannot use is not lost to others.
  CHECK(cluster.run_script(2, "true").status == 0);
  auto apps = values_of(cluster.status().at("active_apps"), "id");
  REQUIRE(apps.size() == 2);
  auto why = cluster.run({"explain", apps.back()});
  INFO(why.out);
  CHECK(why.out.find("it needs 4 executors at once") != std::string::npos);
  CHECK(why.out.find("there is room for 2") != std::string::npos);
  let_go(cluster);
  CHECK(first.result().status == 0);
  CHECK(second.result().status == 0);
}

TEST_CASE("a gang is not starved by small runs that come always") {
  Cluster cluster;
  cluster.start_master({"--conf", "stoker.gang.reserve.after=1s"});
  start_three(cluster);
  let_go(cluster);
  std::vector<Process*> small;
  // More than there is room for: some wait at any time.
  auto keep_busy = [&] {
    std::erase_if(small, [](auto* x) { return !x->running(); });
    while (small.size() < 9)
      small.push_back(&cluster.start_script(1, "sleep 5"));
  };
  keep_busy();
  REQUIRE(eventually([&] {
    keep_busy();
    return executors(cluster).size() > 7;
  }));
  auto& gang = cluster.start_script(6, meets(cluster, "g", 6), gang_of(6));
  CHECK(eventually([&] {
    keep_busy();
    return !gang.running();
  }));
  CHECK(gang.result().status == 0);
}

TEST_CASE("a gang that waits is one for the next master, too") {
  Cluster cluster;
  auto& master = cluster.start_master();
  start_three(cluster);
  auto& first = cluster.start_script(4, meets(cluster, "a", 4), gang_of(4));
  REQUIRE(eventually([&] { return has_begun(cluster, "a", 3); }));
  auto& second = cluster.start_script(4, meets(cluster, "b", 4), gang_of(4));
  REQUIRE(eventually([&] {
    return executors(cluster) == std::vector<std::size_t>{4, 0};
  }));
  master.send(SIGKILL);
  master.result();
  auto& again = cluster.start_master();
  await(again, "ALIVE at");
  CHECK(executors(cluster) == std::vector<std::size_t>{4, 0});
  CHECK_FALSE(has_begun(cluster, "b", 0));
  let_go(cluster);
  CHECK(first.result().status == 0);
  CHECK(second.result().status == 0);
}

TEST_CASE("a gang that can never be whole is refused") {
  Cluster cluster;
  cluster.start_local({"--workers", "2", "--cores", "2", "--memory", "1g"});
  check_refusal(cluster.run_script(5, "true", gang_of(5)), 1,
                "needs 5 executors at once (5 cores, 2560 MB), all workers "
                "together hold 4 (4 cores, 2 GB)");
  check_refusal(cluster.run_script(2, "true", gang_of(3)), 1,
                "a gang of 3 is more than the 2 instances");
}
