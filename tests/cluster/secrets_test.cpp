// What is given to programs in their environment may be secrets: no file has them
// once the programs have ended.

#include <signal.h>

#include <filesystem>
#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

const std::string password = "s3cret-of-this-test";

/// The files below a directory of the cluster that have it.
std::vector<std::string> with_password(const Cluster& cluster,
                                       const std::string& directory) {
  std::vector<std::string> result;
  // Files come and go meanwhile.
  std::error_code ignored;
  for (std::filesystem::recursive_directory_iterator
           i{cluster.path(directory), ignored},
       end;
       i != end; i.increment(ignored))
    if (i->is_regular_file(ignored)
        && contents_of(i->path().string()).find(password) != std::string::npos)
      result.push_back(i->path().filename().string());
  return result;
}

/// Waits until no file of the cluster has it.
bool forgotten(const Cluster& cluster) {
  auto result
      = eventually([&] { return with_password(cluster, ".").empty(); }, 30s);
  for (const auto& x : with_password(cluster, "."))
    UNSCOPED_INFO(x);
  return result;
}

/// A program that has read it, and waits for a file `go`.
std::string waits(const Cluster& cluster) {
  return "test -n \"$PASSWORD\" && echo $$ >> " + cluster.path("starts")
         + "; until [ -e " + cluster.path("go") + " ]; do sleep 0.05; done";
}

bool starts(const Cluster& cluster) {
  return eventually(
      [&] { return !contents_of(cluster.path("starts")).empty(); });
}

void go(const Cluster& cluster) {
  std::ofstream{cluster.path("go")};
}

} // namespace

TEST_CASE("a run's secrets are in no file once it has ended") {
  Cluster cluster;
  cluster.start_master({"--log", cluster.path("messages.log")});
  cluster.start_worker();
  auto& run = cluster.start_script(1, waits(cluster),
                                   {"--env", "PASSWORD=" + password});
  REQUIRE(starts(cluster));
  CHECK_FALSE(with_password(cluster, "data").empty());
  go(cluster);
  CHECK(run.result().status == 0);
  CHECK(forgotten(cluster));
}

TEST_CASE("a submitted driver's secrets are in no file once it has ended") {
  Cluster cluster;
  cluster.start_master({"--log", cluster.path("messages.log")});
  cluster.start_worker();
  auto submitted
      = cluster.run({"submit", "--env", "PASSWORD=" + password, "--supervise",
                     "--", "sh", "-c", waits(cluster)});
  REQUIRE(submitted.status == 0);
  REQUIRE(starts(cluster));
  CHECK_FALSE(with_password(cluster, "data").empty());
  // The worker would start it again.
  CHECK_FALSE(with_password(cluster, "work-1").empty());
  go(cluster);
  CHECK(forgotten(cluster));
}

TEST_CASE("secrets of what ended with a killed master are in no file") {
  Cluster cluster;
  auto& master = cluster.start_master();
  cluster.start_worker();
  auto& run = cluster.start_script(1, waits(cluster),
                                   {"--env", "PASSWORD=" + password});
  REQUIRE(starts(cluster));
  master.send(SIGKILL);
  master.result();
  CHECK_FALSE(with_password(cluster, "data").empty());
  auto& again = cluster.start_master();
  await(again, "RECOVERING at");
  go(cluster);
  CHECK(run.result().status == 0);
  CHECK(forgotten(cluster));
}
