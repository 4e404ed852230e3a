// What instances write arrives or is reported as lost: at ends, and when programs touch
// their logs.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/cluster/output_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace fs = std::filesystem;

TEST_CASE("an instance ends however slow the reader of its output is") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  // More than a run takes in before its reader reads.
  auto script = write_lines(64'000'000);
  auto& run = cluster.start_piped_run(script, {}, 1);
  CHECK(eventually([&] {
    auto status = cluster.status();
    const auto& apps = status.at("active_apps").as_array();
    return apps.size() == 1
           && values_of(apps[0].at("executors"), "state")
                  == std::vector<std::string>{"EXITED"}
           && values_of(status.at("workers"), "cores_used")
                  == std::vector<std::string>{"0"};
  }));
  CHECK(run.running());
  CHECK(cluster.read() == cluster.checksum_of(script));
  CHECK(run.result().status == 0);
}

TEST_CASE("instances wait when ended ones have much that is not read") {
  OutputCluster cluster;
  cluster.start_local(with_small_logs({"--cores", "2", "--memory", "2g"}));
  // Each is less than the logs of a program hold, and all are more than a run takes in.
  auto script = write_lines(3'000'000) + "; touch written-$STOKER_INDEX";
  auto& run
      = cluster.start_piped_run(script, {"--conf", "spark.cores.max=1"}, 40);
  // The run takes in 16 MB at most, and the worker keeps as much as one program may.
  REQUIRE(eventually([&] { return fs::exists(cluster.path("written-1")); }));
  REQUIRE(eventually([&] {
    auto before = cluster.bytes_on_disk();
    // Others do not wait for that reader.
    for (int i = 0; i < 3; ++i)
      CHECK(cluster.run({"run", "--wait", "--cores", "1", "--", "seq", "9"})
                .status
            == 0);
    return cluster.bytes_on_disk() < before + std::uintmax_t{1024} * 1024;
  }));
  CHECK(cluster.bytes_on_disk() < std::uintmax_t{45} * 1024 * 1024);
  CHECK_FALSE(fs::exists(cluster.path("written-39")));
  cluster.read();
  CHECK(run.result().status == 0);
  CHECK(fs::exists(cluster.path("written-39")));
}

TEST_CASE("a run brings the last words of instances that are ended") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  const std::string until_told
      = "trap 'echo bye; exit 3' TERM; echo start; touch here; "
        "while :; do sleep 0.05; done";
  SECTION("by a time limit") {
    auto result = cluster.run_script(1, until_told, {"--time-limit", "2s"});
    CHECK(result.status == 1);
    CHECK(result.out == "start\nbye\n");
    auto apps = cluster.status().at("completed_apps").as_array();
    CHECK(text_of(apps.at(0), "state") == "FAILED");
  }
  SECTION("by stoker kill") {
    auto& run = cluster.start_script(1, until_told);
    REQUIRE(eventually([&] { return fs::exists(cluster.path("here")); }));
    auto id = text_of(cluster.status().at("active_apps").at(0), "id");
    REQUIRE(cluster.run({"kill", id}).status == 0);
    auto result = run.result();
    CHECK(result.status == 1);
    CHECK(result.out == "start\nbye\n");
  }
  SECTION("by the failure of another") {
    auto result = cluster.run_script(
        2, "if [ $STOKER_INDEX = 1 ]; then until [ -e here ]; do sleep 0.05; "
           "done; exit 5; fi; "
               + until_told);
    CHECK(result.status == 5);
    CHECK(result.out == "start\nbye\n");
  }
}

TEST_CASE("a run reports the output of an instance that does not end") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  auto result = cluster.run_script(
      1, "trap '' TERM; echo start; while :; do sleep 0.05; done",
      {"--time-limit", "1s"});
  CHECK(result.status == 1);
  CHECK(result.out == "start\n");
  CHECK(result.err.find("instance 0: its output is incomplete: it had not "
                        "ended when the run did")
        != std::string::npos);
}

TEST_CASE("a run that fails brings all of an instance that ended before") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  auto all = write_lines(64'000'000);
  auto& run = cluster.start_piped_run(
      "if [ $STOKER_INDEX = 0 ]; then " + all
          + "; touch written; exit 0; fi; "
            "until [ -e written ]; do sleep 0.05; done; exit 5",
      {}, 2);
  REQUIRE(eventually([&] {
    return !cluster.status().at("completed_apps").as_array().empty();
  }));
  CHECK(cluster.read() == cluster.checksum_of(all));
  CHECK(run.result().status == 5);
}

TEST_CASE("a program that empties its own directory loses no output") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  std::ofstream{cluster.path("file")} << "x";
  auto result = cluster.run(
      {"run", "--file", cluster.path("file"), "--", "sh", "-c",
       "echo before; rm -rf ./* \"$STOKER_WORK_DIR\"; echo after"});
  CHECK(result.status == 0);
  CHECK(result.out == "before\nafter\n");
}

TEST_CASE("output that a program takes from the disk is reported as lost") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  auto submitted = cluster.run(
      {"submit", "--", "sh", "-c",
       "echo before; until [ -e \"$STOKER_WORK_DIR/../stdout\" ]; do sleep "
       "0.05; done; sleep 0.2; rm \"$STOKER_WORK_DIR\"/../std*"});
  REQUIRE(submitted.status == 0);
  auto driver = lines_of(submitted.out).front();
  CHECK(cluster.run({"wait", "--quiet", driver}).status == 0);
  auto logs = cluster.run({"logs", driver});
  CHECK(logs.status == 1);
  CHECK(logs.err.find("7 bytes are gone from the disk of its worker")
        != std::string::npos);
}

TEST_CASE("output that a driver takes from the disk before it writes more is "
          "reported as lost") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  const auto* takes = GENERATE("rm \"$STOKER_WORK_DIR\"/../std*",
                               ": > \"$STOKER_WORK_DIR/../stdout\"");
  auto submitted = cluster.run(
      {"submit", "--", "sh", "-c",
       "echo before; until [ -s \"$STOKER_WORK_DIR/../stdout\" ]; do sleep "
       "0.05; done; "
           + std::string{takes} + "; echo after"});
  REQUIRE(submitted.status == 0);
  auto driver = lines_of(submitted.out).front();
  CHECK(cluster.run({"wait", "--quiet", driver}).status == 0);
  auto logs = cluster.run({"logs", driver});
  CHECK(logs.status == 1);
  CHECK(logs.out == "after\n");
  CHECK(logs.err.find("7 bytes are gone from the disk of its worker")
        != std::string::npos);
}

TEST_CASE("output that a driver appends to its own log is delivered") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  auto submitted
      = cluster.run({"submit", "--", "sh", "-c",
                     "log=\"$STOKER_WORK_DIR/../stdout\"; echo one; until [ -s "
                     "\"$log\" ]; do "
                     "sleep 0.05; done; echo beside >> \"$log\"; echo two"});
  REQUIRE(submitted.status == 0);
  auto driver = lines_of(submitted.out).front();
  CHECK(cluster.run({"wait", "--quiet", driver}).status == 0);
  auto logs = cluster.run({"logs", driver});
  CHECK(logs.status == 0);
  CHECK(logs.out == "one\nbeside\ntwo\n");
}

TEST_CASE("logs counts the bytes of each start of a driver that removes its "
          "log") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  const std::string start
      = "echo x >> starts; log=\"$STOKER_WORK_DIR/../stdout\"; ";
  const std::string take
      = "echo before; until [ -s \"$log\" ]; do sleep 0.05; done; rm "
        "\"$STOKER_WORK_DIR\"/../std*; ";
  const std::string end = "[ $(wc -l < starts) -ge 3 ]";
  std::string script;
  std::string out;
  std::string told;
  SECTION("before it writes") {
    script = start + "rm \"$STOKER_WORK_DIR\"/../std*; echo after; " + end;
    out = "after\nafter\nafter\n";
  }
  SECTION("after it has written") {
    script = start + take + end;
    told = "14 bytes of attempts 1 to 2 are lost; of the first, 7 bytes are "
           "gone from the disk of its worker";
  }
  auto submitted
      = cluster.run({"submit", "--supervise", "--", "sh", "-c", script});
  REQUIRE(submitted.status == 0);
  auto driver = lines_of(submitted.out).front();
  CHECK(cluster.run({"wait", "--quiet", driver}).status == 0);
  auto logs = cluster.run({"logs", driver});
  CHECK(logs.out == out);
  CHECK(logs.status == (told.empty() ? 0 : 1));
  CHECK(logs.err.find(told) != std::string::npos);
  CHECK(logs.err.find("is missing;") == std::string::npos);
}

TEST_CASE("lines of instances do not mix within a line") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "4", "--memory", "2g"});
  auto result = cluster.run_script(
      4, "for i in 1 2 3 4 5; do printf aaaa; sleep 0.05; echo bbbb; done; "
         "head -c 100000 /dev/zero | tr '\\0' x; echo");
  CHECK(result.status == 0);
  auto lines = lines_of(result.out);
  CHECK(std::count(lines.begin(), lines.end(), "aaaabbbb") == 20);
  CHECK(std::count(lines.begin(), lines.end(), std::string(100'000, 'x')) == 4);
  CHECK(lines.size() == 24);
}
