// Drivers that fill a cluster, and room that is kept for what they run.

#include <algorithm>
#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// 4 cores, and memory for 4 drivers or executors.
const std::vector<std::string> four_cores{"--workers", "2",        "--cores",
                                          "2",         "--memory", "1g"};

constexpr const char* run_two = "'" STOKER_PROGRAM "' run -n 2 -- echo hello";

/// The same, when the test says so.
constexpr const char* run_two_later
    = "until [ -e go ]; do sleep 0.05; done; exec '" STOKER_PROGRAM
      "' run -n 2 -- echo hello";

std::string submit(Cluster& cluster, const std::string& script,
                   const std::vector<std::string>& options = {}) {
  std::vector<std::string> words{"submit"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", "sh", "-c", script});
  auto result = cluster.run(words);
  INFO(result.err);
  REQUIRE(result.status == 0);
  return lines_of(result.out).front();
}

/// How many of the active drivers are in a state.
auto count_in(Cluster& cluster, const std::string& state) {
  auto states = values_of(cluster.status().at("active_drivers"), "state");
  return std::count(states.begin(), states.end(), state);
}

/// All that it writes until it ends.
std::string output_of(Cluster& cluster, const std::string& id) {
  return cluster.run({"logs", id, "--follow"}).out;
}

} // namespace

TEST_CASE("drivers that fill the cluster starve what they run, and it is told "
          "why") {
  Cluster cluster;
  cluster.start_local(four_cores);
  std::vector<std::string> drivers;
  for (int i = 0; i < 4; ++i)
    drivers.push_back(submit(cluster, run_two_later));
  REQUIRE(eventually([&] { return count_in(cluster, "RUNNING") == 4; }));
  std::ofstream{cluster.path("go")};
  REQUIRE(eventually([&] {
    return cluster.status().at("active_apps").as_array().size() == 4;
  }));
  for (const auto& app : values_of(cluster.status().at("active_apps"), "id")) {
    auto why = cluster.run({"explain", app});
    CHECK(why.status == 0);
    CHECK(why.out.find("0 of 4 cores are free") != std::string::npos);
  }
  // The end of one is enough for all others to go on.
  CHECK(cluster.run({"kill", drivers.front()}).status == 0);
  drivers.erase(drivers.begin());
  for (const auto& id : drivers)
    CHECK(output_of(cluster, id) == "hello\nhello\n");
}

TEST_CASE("a driver with --with-executors keeps room for what it runs") {
  Cluster cluster;
  cluster.start_local(four_cores);
  auto id = submit(cluster, run_two_later, {"--with-executors", "2"});
  for (int i = 0; i < 3; ++i)
    submit(cluster, "sleep 1000");
  // One fits besides the first and its executors.
  REQUIRE(eventually([&] { return count_in(cluster, "RUNNING") == 2; }));
  CHECK(count_in(cluster, "SUBMITTED") == 2);
  std::ofstream{cluster.path("go")};
  CHECK(output_of(cluster, id) == "hello\nhello\n");
  // What was kept is free again.
  CHECK(eventually([&] { return count_in(cluster, "RUNNING") == 3; }));
}

TEST_CASE("drivers with executors do not starve each other") {
  Cluster cluster;
  cluster.start_local(four_cores);
  std::vector<std::string> drivers;
  for (int i = 0; i < 4; ++i)
    drivers.push_back(submit(cluster, run_two,
                             {"--with-executors", "2", "--executor-cores", "1",
                              "--executor-memory", "512m"}));
  for (const auto& id : drivers)
    CHECK(output_of(cluster, id) == "hello\nhello\n");
}

TEST_CASE("executors that never fit are refused with their driver") {
  Cluster cluster;
  cluster.start_local(four_cores);
  auto result = cluster.run({"submit", "--with-executors", "1",
                             "--executor-cores", "3", "--", "true"});
  CHECK(result.status == 1);
  CHECK(result.err
        == "stoker: needs 3 cores per executor, the largest worker has 2 "
           "cores\n");
  for (const auto& options : std::vector<std::vector<std::string>>{
           {"--with-executors", "-1"},
           {"--with-executors", "1", "--executor-cores", "0"},
           {"--with-executors", "1", "--executor-memory", "0"}}) {
    std::vector<std::string> words{"submit"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "true"});
    auto wrong = cluster.run(words);
    INFO(wrong.err);
    CHECK(wrong.status == 2);
    CHECK(lines_of(wrong.err).size() == 1);
  }
}
