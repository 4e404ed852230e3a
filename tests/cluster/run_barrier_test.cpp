// Runs whose instances start together, wait for each other, and are started again
// together.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

using Lines = std::vector<std::string>;

const Lines two_workers{"--workers", "2", "--cores", "2", "--memory", "2g"};

/// Options of a run whose instances start together, and find the program as $STOKER.
Lines together(const Lines& more = {}) {
  Lines result{"--barrier", "--env", std::string{"STOKER="} + STOKER_PROGRAM};
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

Lines sorted_lines(const std::string& text) {
  auto result = lines_of(text);
  std::sort(result.begin(), result.end());
  return result;
}

/// Says that it has begun, and waits for a file `go` in the sandbox.
std::string waits(const Cluster& cluster) {
  return "echo $$ > " + cluster.path("began-$RANK-$STOKER_ATTEMPT")
         + "; until [ -e " + cluster.path("go") + " ]; do sleep 0.02; done; ";
}

bool has_begun(const Cluster& cluster, const std::string& which) {
  return std::filesystem::exists(cluster.path("began-" + which));
}

void let_go(const Cluster& cluster) {
  std::ofstream{cluster.path("go")};
}

/// The state of the application that has ended last.
std::string state_of_last(Cluster& cluster) {
  auto status = cluster.status();
  return text_of(status.at("completed_apps").as_array().back(), "state");
}

} // namespace

TEST_CASE("instances that start together know each other, and wait for each "
          "other") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run_script(
      4,
      "echo $RANK $STOKER_INDEX of $WORLD_SIZE $STOKER_COUNT; echo no >&2; "
      "$STOKER barrier && $STOKER barrier --all-gather r$RANK | tr '\\n' ' '; "
      "echo",
      together({"--label"}));
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(sorted_lines(result.out)
        == Lines{"[0] 0 0 of 4 4", "[0] r0 r1 r2 r3 ", "[1] 1 1 of 4 4",
                 "[1] r0 r1 r2 r3 ", "[2] 2 2 of 4 4", "[2] r0 r1 r2 r3 ",
                 "[3] 3 3 of 4 4", "[3] r0 r1 r2 r3 "});
  CHECK(sorted_lines(result.err)
        == Lines{"[0] no", "[1] no", "[2] no", "[3] no"});
  CHECK(state_of_last(cluster) == "FINISHED");
}

TEST_CASE("an instance that fails ends all that were started with it, and the "
          "run with its exit code") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run_script(
      4, "$STOKER barrier; [ $RANK = 2 ] && exit 5; exec sleep 4711",
      together());
  check_refusal(result, 5, "failed: task 2 failed on ");
  check_refusal(result, 5, "exited with 5");
  CHECK(state_of_last(cluster) == "FAILED");
  for (const auto& [pid, description] : cluster.processes())
    CHECK(description != "sleep 4711");
}

TEST_CASE("instances that start together are started again together, each "
          "where it was") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run_script(
      4,
      "echo $STOKER_ATTEMPT on $STOKER_EXECUTOR_ID; $STOKER barrier; "
      "[ $STOKER_ATTEMPT = 2 ] || [ $RANK != 1 ]",
      together({"--retries", "2", "--label"}));
  INFO(result.err);
  CHECK(result.status == 0);
  auto all = sorted_lines(result.out);
  REQUIRE(all.size() == 12);
  std::set<std::string> executors;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    auto on = all[3 * rank].substr(all[3 * rank].rfind(' '));
    executors.insert(on);
    for (std::size_t attempt = 0; attempt < 3; ++attempt)
      CHECK(all[3 * rank + attempt]
            == "[" + std::to_string(rank) + "] " + std::to_string(attempt)
                   + " on" + on);
  }
  CHECK(executors.size() == 4);
  auto said = lines_of(result.err);
  REQUIRE(said.size() == 2);
  for (const auto& line : said) {
    CHECK(line.starts_with("stoker: instance 1 on "));
    CHECK(line.ends_with(": exited with 1; all are started again"));
  }
}

TEST_CASE(
    "that an executor is killed starts all instances again, and counts as "
    "nobody's failure") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto& run = cluster.start_script(
      3, waits(cluster) + "$STOKER barrier && echo $STOKER_ATTEMPT",
      together());
  REQUIRE(eventually([&] {
    return has_begun(cluster, "0-0") && has_begun(cluster, "1-0")
           && has_begun(cluster, "2-0");
  }));
  auto executor = pid_t{0};
  for (const auto& [pid, description] : cluster.processes())
    if (description.ends_with("stoker executor"))
      executor = pid;
  REQUIRE(executor != 0);
  ::kill(executor, SIGKILL);
  REQUIRE(eventually([&] {
    return has_begun(cluster, "0-1") && has_begun(cluster, "1-1")
           && has_begun(cluster, "2-1");
  }));
  let_go(cluster);
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "1\n1\n1\n");
}

TEST_CASE("an executor that stands still is ended, and all instances start "
          "again") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto& run = cluster.start_script(
      3, waits(cluster) + "$STOKER barrier && echo $STOKER_ATTEMPT",
      together({"--retries", "3", "--conf",
                "spark.executor.heartbeatInterval=500ms", "--conf",
                "spark.network.timeout=3s"}));
  REQUIRE(eventually([&] {
    return has_begun(cluster, "0-0") && has_begun(cluster, "1-0")
           && has_begun(cluster, "2-0");
  }));
  pid_t still = 0;
  for (const auto& [pid, description] : cluster.processes())
    if (description.ends_with("stoker executor"))
      still = pid;
  REQUIRE(still != 0);
  ::kill(still, SIGSTOP);
  REQUIRE(eventually([&] {
    return has_begun(cluster, "0-1") && has_begun(cluster, "1-1")
           && has_begun(cluster, "2-1");
  }));
  CHECK(eventually([&] { return ::kill(still, 0) != 0; }));
  let_go(cluster);
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  auto said = lines_of(result.out);
  REQUIRE(said.size() == 3);
  CHECK(said[0] != "0");
  CHECK(said == Lines(3, said[0]));
  CHECK(result.err.find("it has said nothing for 3 s") != std::string::npos);
}

TEST_CASE("that an instance is killed starts all again, and none is left of "
          "those before") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto& run = cluster.start_script(
      4, waits(cluster) + "$STOKER barrier && echo $STOKER_ATTEMPT",
      together());
  REQUIRE(eventually([&] { return has_begun(cluster, "3-0"); }));
  pid_t killed = 0;
  REQUIRE(eventually([&] {
    return (std::ifstream{cluster.path("began-3-0")} >> killed).good();
  }));
  ::kill(killed, SIGKILL);
  REQUIRE(eventually([&] {
    return has_begun(cluster, "0-1") && has_begun(cluster, "1-1")
           && has_begun(cluster, "2-1") && has_begun(cluster, "3-1");
  }));
  let_go(cluster);
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "1\n1\n1\n1\n");
}

TEST_CASE("a master's end disturbs no instances that were started together") {
  Cluster cluster;
  auto& master = cluster.start_master();
  cluster.start_worker();
  cluster.start_worker();
  auto& first = cluster.start_script(
      4, waits(cluster) + "$STOKER barrier && echo $STOKER_ATTEMPT",
      together());
  REQUIRE(eventually([&] { return has_begun(cluster, "3-0"); }));
  auto& second = cluster.start_script(3, "echo second", together());
  REQUIRE(eventually([&] {
    return cluster.status().at("active_apps").as_array().size() == 2;
  }));
  master.send(SIGKILL);
  master.result();
  auto& again = cluster.start_master();
  await(again, "ALIVE at");
  REQUIRE(eventually([&] {
    return cluster.status().at("active_apps").as_array().size() == 2;
  }));
  let_go(cluster);
  auto result = first.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "0\n0\n0\n0\n");
  CHECK(second.result().out == "second\nsecond\nsecond\n");
}

TEST_CASE("Ctrl-C ends instances that were started together") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto& run
      = cluster.start_script(4, "echo started; exec sleep 4712", together());
  REQUIRE(eventually([&] { return lines_of(run.out()).size() == 4; }));
  run.send_to_group(SIGINT);
  CHECK(run.result().status == 130);
  CHECK(eventually([&] {
    for (const auto& [pid, description] : cluster.processes())
      if (description == "sleep 4712")
        return false;
    return true;
  }));
  CHECK(state_of_last(cluster) == "KILLED");
}

TEST_CASE("instances that start together get all executors at once when these "
          "follow the load") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run_script(
      4, "$STOKER barrier && echo done",
      together({"--conf", "spark.dynamicAllocation.enabled=true"}));
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "done\ndone\ndone\ndone\n");
}

TEST_CASE("more instances at once than there can be are refused") {
  Cluster cluster;
  cluster.start_local({"--workers", "2", "--cores", "2", "--memory", "1g"});
  check_refusal(cluster.run_script(5, "true", together()), 1,
                "needs 5 executors at once (5 cores, 2560 MB), all workers "
                "together hold 4 (4 cores, 2 GB)");
  check_refusal(
      cluster.run_script(5, "true", together({"--conf", "spark.cores.max=4"})),
      2, "spark.cores.max=4");
}

TEST_CASE("instances that start together have time to end when their run is "
          "over") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run_script(
      4,
      "trap \"sleep 0.3; echo bye; exit 3\" TERM; echo begun; "
      "while :; do sleep 0.05; done",
      together({"--time-limit", "2s"}));
  INFO(result.err);
  CHECK(result.status == 1);
  CHECK(
      sorted_lines(result.out)
      == Lines{"begun", "begun", "begun", "begun", "bye", "bye", "bye", "bye"});
}
