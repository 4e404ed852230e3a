// A worker that cannot start anything, and has most room.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// Programs of the first worker that is started have no place to be.
void make_sick(const Cluster& cluster) {
  auto work = cluster.path("work-1");
  std::filesystem::rename(work, work + "-aside");
  std::ofstream{work} << "not a directory";
}

void make_well(const Cluster& cluster) {
  auto work = cluster.path("work-1");
  std::filesystem::remove(work);
  std::filesystem::rename(work + "-aside", work);
}

bool any_problem(Cluster& cluster) {
  auto problems = values_of(cluster.status().at("workers"), "problem");
  return std::any_of(problems.begin(), problems.end(), [](const auto& x) {
    return x.find("could not start a program") != std::string::npos;
  });
}

} // namespace

TEST_CASE("a worker that cannot start programs fails nobody") {
  Cluster cluster;
  cluster.start_master({"--conf", "stoker.worker.backoff=60s"});
  cluster.start_worker();
  cluster.start_worker();
  make_sick(cluster);
  auto result = cluster.run_script(20, "echo done");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out).size() == 20);
  CHECK(any_problem(cluster));
  auto driver = cluster.run({"submit", "--cores", "1", "--", "true"});
  CHECK(driver.status == 0);
}

TEST_CASE("a worker that was mended is given work again") {
  Cluster cluster;
  cluster.start_master();
  cluster.start_worker();
  make_sick(cluster);
  auto& run = cluster.start_script(3, "echo done");
  // Again and again: now and then it is tried.
  REQUIRE(eventually([&] {
    auto text = cluster.run({"status"}).out;
    return text.find("is given nothing for a while") != std::string::npos;
  }));
  CHECK(run.running());
  make_well(cluster);
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out).size() == 3);
}

TEST_CASE("a worker that cannot start programs ends no supervised driver") {
  Cluster cluster;
  cluster.start_master({"--conf", "stoker.worker.backoff=60s"});
  cluster.start_worker();
  make_sick(cluster);
  auto submitted = cluster.run({"submit", "--supervise", "--", "echo", "done"});
  REQUIRE(submitted.status == 0);
  auto id = lines_of(submitted.out).front();
  REQUIRE(eventually([&] { return any_problem(cluster); }));
  auto why = cluster.run({"explain", id}).out;
  INFO(why);
  CHECK(why.find("RELAUNCHING") != std::string::npos);
  CHECK(why.find("Not a directory") != std::string::npos);
  cluster.start_worker();
  CHECK(cluster.run({"wait", id}).status == 0);
  auto logs = cluster.run({"logs", id});
  INFO(logs.err);
  CHECK(logs.status == 0);
  CHECK(logs.out == "done\n");
}
