// Work directories that are copied, or full, and the workers that are started there.

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace {

/// Each start adds a line to a file. Runs until there is a file `go`.
std::string until_go(const Cluster& cluster) {
  return "echo $$ >> '" + cluster.path("starts") + "'; until [ -e '"
         + cluster.path("go") + "' ]; do sleep 0.05; done; echo done";
}

void let_go(const Cluster& cluster) {
  std::ofstream{cluster.path("go")};
}

std::vector<pid_t> started(const Cluster& cluster) {
  auto lines = [&] { return lines_of(contents_of(cluster.path("starts"))); };
  REQUIRE(eventually([&] { return !lines().empty(); }));
  std::vector<pid_t> result;
  for (const auto& x : lines())
    result.push_back(std::stoi(x));
  return result;
}

void kill(Process& process) {
  process.send(SIGKILL);
  process.result();
}

std::vector<std::string> worker_words(const Cluster& cluster,
                                      const std::string& directory) {
  return {STOKER_PROGRAM, "worker",     cluster.environment.at("STOKER_MASTER"),
          "--cores",      "2",          "--memory",
          "1g",           "--work-dir", directory};
}

Process& start_worker(Cluster& cluster, const std::string& directory) {
  auto& result = cluster.start(worker_words(cluster, directory));
  await(result, "registered with");
  return result;
}

} // namespace

TEST_CASE("a copied work directory is no worker's place") {
  Cluster cluster;
  cluster.start_master();
  auto& first = start_worker(cluster, cluster.path("work"));
  auto& run = cluster.start_script(1, until_go(cluster));
  auto program = started(cluster).at(0);
  cluster.start({"cp", "-a", cluster.path("work"), cluster.path("copied")})
      .result();
  REQUIRE(
      std::filesystem::exists(cluster.path("copied/.workers/1/worker.json")));
  auto& second = start_worker(cluster, cluster.path("copied"));
  CHECK(says(second, "copied/.workers/1 is a copy"));
  CHECK(!says(second, "going on as"));
  auto workers = cluster.status();
  CHECK(values_of(workers.at("workers"), "state")
        == std::vector<std::string>{"ALIVE", "ALIVE"});
  CHECK(first.running());
  CHECK(lives(program));
  let_go(cluster);
  auto result = run.result();
  CHECK(result.status == 0);
  CHECK(result.out == "done\n");
}

TEST_CASE("a full disk takes no program from a worker that is started again") {
  if (::getuid() != 0) {
    skip("only root can make a small disk");
    return;
  }
  Cluster cluster;
  cluster.start_master();
  auto disk = cluster.path("disk");
  std::filesystem::create_directory(disk);
  // Its mount namespace lasts for as long as its processes.
  auto& machine = cluster.start({"unshare", "--mount", "sh", "-c",
                                 "mount -t tmpfs -o size=1m tmpfs '" + disk
                                     + "' && touch '" + cluster.path("mounted")
                                     + "' && exec sleep 1000"});
  REQUIRE(eventually(
      [&] { return std::filesystem::exists(cluster.path("mounted")); }));
  auto start = [&]() -> auto& {
    std::vector<std::string> words{
        "nsenter", "--target", std::to_string(machine.pid()), "--mount", "--"};
    for (const auto& word : worker_words(cluster, disk))
      words.push_back(word);
    return cluster.start(words);
  };
  auto& first = start();
  await(first, "registered with");
  auto& run = cluster.start_script(1, until_go(cluster));
  auto program = started(cluster).at(0);
  auto filler
      = "/proc/" + std::to_string(machine.pid()) + "/root" + disk + "/full";
  {
    std::ofstream full{filler};
    full << std::string(4'000'000, '.') << std::flush;
    CHECK(!full);
  }
  kill(first);
  auto& second = start();
  await(second, "[work-directory-full]");
  await(second, "with 1 programs found again");
  await(second, "registered with");
  // Nor does another death do harm.
  kill(second);
  auto& third = start();
  await(third, "with 1 programs found again");
  await(third, "registered with");
  CHECK(lives(program));
  // What it writes waits for room.
  std::filesystem::remove(filler);
  let_go(cluster);
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "done\n");
  CHECK(started(cluster).size() == 1);
}
