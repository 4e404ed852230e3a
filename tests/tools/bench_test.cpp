// stoker-bench, as a whole: that each bench works and says so in lines that
// others can read. How fast anything is cannot be tested on a shared machine.

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

namespace {

namespace json = boost::json;
using stoker::test::TemporaryDirectory;

struct Result {
  int status = 0;
  std::vector<std::string> lines;
};

Result run_bench(const std::string& arguments) {
  Result result;
  auto* pipe = popen((STOKER_BENCH " " + arguments).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string line;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) {
    if (c != '\n')
      line += static_cast<char>(c);
    else
      result.lines.push_back(std::exchange(line, {}));
  }
  CHECK(line.empty());
  result.status = WEXITSTATUS(pclose(pipe));
  return result;
}

/// A figure of the first line of a bench.
double figure_of(const Result& result, const std::string& bench,
                 const std::string& name) {
  for (const auto& line : result.lines) {
    auto figure = json::parse(line).as_object();
    if (json::value_to<std::string>(figure.at("bench")) == bench)
      return figure.at(name).to_number<double>();
  }
  FAIL("no line of " << bench);
  return 0;
}

} // namespace

TEST_CASE("each bench prints figures as lines of JSON", "[bench]") {
  auto result = run_bench("--quick");
  CHECK(result.status == 0);
  std::set<std::string> benches;
  for (const auto& line : result.lines) {
    INFO(line);
    auto figure = json::parse(line).as_object();
    // Others are measured beside some.
    auto peer = json::value_to<std::string>(figure.at("peer"));
    CHECK((peer == "stoker" || peer == "openmpi"
           || peer.starts_with("pyspark-")));
    CHECK_FALSE(figure.contains("error"));
    benches.insert(json::value_to<std::string>(figure.at("bench")));
  }
  CHECK(benches
        == std::set<std::string>{"allocation",
                                 "app_latency",
                                 "barrier",
                                 "door",
                                 "durable_registrations",
                                 "executor_growth",
                                 "gang_retry",
                                 "gang_run",
                                 "gang_start",
                                 "gang_throughput",
                                 "heartbeats",
                                 "heartbeats_paced",
                                 "history",
                                 "inprocess_tasks",
                                 "instances",
                                 "job_array_memory",
                                 "job_turnover",
                                 "journal",
                                 "launch",
                                 "line_router",
                                 "loopback_round_trip",
                                 "memory",
                                 "memory_core",
                                 "message_log",
                                 "output",
                                 "pages",
                                 "program_tasks",
                                 "queue_hand_over",
                                 "reconnect",
                                 "recovery",
                                 "recovery_state",
                                 "register_apps",
                                 "register_workers",
                                 "restart",
                                 "schedule_pass",
                                 "schedule_pass_placing",
                                 "shuffle",
                                 "spark_app_latency",
                                 "spark_apps",
                                 "spark_frames",
                                 "spark_heartbeats",
                                 "spark_json",
                                 "spark_launch",
                                 "spark_memory",
                                 "spark_recovery",
                                 "spark_registrations",
                                 "startup",
                                 "submit_latency",
                                 "takeover",
                                 "task_offers",
                                 "task_programs",
                                 "task_startup",
                                 "waiting_apps",
                                 "wordcount"});
}

TEST_CASE("figures say what was measured, not what was to be", "[bench]") {
  auto result = run_bench("--quick heartbeats takeover");
  REQUIRE(result.status == 0);
  // Handled by the end of a time that is at least the one planned.
  auto per_second = figure_of(result, "heartbeats_paced", "workers") / 15;
  auto rate = figure_of(result, "heartbeats_paced", "rate");
  CHECK(rate > 0);
  CHECK(rate < per_second * 1.001);
  // Read when whoever is missing would have been given up.
  auto workers = figure_of(result, "takeover", "workers");
  CHECK(figure_of(result, "takeover", "alive_workers") == workers);
  CHECK(figure_of(result, "takeover", "running_apps") == workers);
  CHECK(figure_of(result, "takeover", "executors_disturbed") == 0);
}

TEST_CASE("a barrier is measured by all ways in which tasks may call",
          "[bench]") {
  // What stands for a Python with PySpark says that it has it, and what it measured.
  TemporaryDirectory files;
  auto python = files.write("python",
                            "#!/bin/sh\n[ \"$1\" = -c ] || echo 9.9.9 0.25\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  auto result = run_bench("--quick --pyspark " + python + " barrier");
  REQUIRE(result.status == 0);
  std::multiset<std::string> rows;
  for (const auto& line : result.lines) {
    auto figure = json::parse(line).as_object();
    if (figure.at("bench") != "barrier")
      continue;
    CHECK(figure.at("median_ms").to_number<double>() > 0);
    auto row = json::value_to<std::string>(figure.at("peer")) + ' '
               + json::value_to<std::string>(figure.at("where"));
    if (const auto* how = figure.if_contains("how"))
      row += ", " + json::value_to<std::string>(*how);
    rows.insert(row + ": " + json::serialize(figure.at("tasks")));
  }
  CHECK(
      rows
      == std::multiset<std::string>{
          "pyspark-9.9.9 functions in Python, BarrierTaskContext.barrier: 2",
          "stoker functions: 1024", "stoker functions: 128",
          "stoker functions: 16", "stoker functions: 2",
          "stoker programs, connection: 128", "stoker programs, connection: 16",
          "stoker programs, connection: 2", "stoker programs, connection: 64",
          "stoker programs, connections: 16", "stoker programs, connections: 2",
          "stoker programs, stoker barrier: 16",
          "stoker programs, stoker barrier: 2",
          "stoker programs, stoker-barrier: 16",
          "stoker programs, stoker-barrier: 2"});
}

TEST_CASE("without PySpark the rest is measured, and a line says so",
          "[bench]") {
  auto result = run_bench("--quick --pyspark /no/such/python barrier 2>&1 | "
                          "grep -v '^barrier took'");
  CHECK(result.lines.size() > 10);
  auto said = std::count(result.lines.begin(), result.lines.end(),
                         "barrier: /no/such/python has no PySpark, whose "
                         "barrier is not measured");
  CHECK(said == 1);
}

TEST_CASE("Spark's master is measured beside ours where there is a PySpark",
          "[bench]") {
  if (std::system("java -version > /dev/null 2>&1") != 0)
    return stoker::test::skip_extra("no Java here, so no Spark is measured");
  // Scala 2.12 writes its messages otherwise than 2.13.
  for (const std::string version : {"3.5.9", "4.1.4"}) {
    auto environment = std::string{STOKER_ROOT "/build/pyspark/"} + version;
    if (!std::filesystem::exists(environment + "/complete"))
      return stoker::test::skip("no PySpark " + version
                                + " here: examples/pyspark/setup fetches it");
    auto result
        = run_bench("--quick --spark " + environment + " spark_app_latency");
    CHECK(result.status == 0);
    REQUIRE(result.lines.size() == 2);
    std::vector<std::string> peers;
    for (const auto& line : result.lines) {
      INFO(line);
      auto figure = json::parse(line).as_object();
      peers.push_back(json::value_to<std::string>(figure.at("peer")));
      CHECK(figure.at("executors_running_p50_ms").to_number<double>() > 0);
    }
    CHECK(peers == std::vector<std::string>{"spark-" + version, "stoker"});
  }
}

TEST_CASE("an environment without Spark's master is an error in the line",
          "[bench]") {
  TemporaryDirectory environment;
  auto result = run_bench("--quick --spark " + environment.path(".")
                          + " spark_memory 2>/dev/null");
  CHECK(result.status == 1);
  REQUIRE(result.lines.size() == 1);
  CHECK(json::parse(result.lines.front()).as_object().contains("error"));
}

TEST_CASE("the names of all benches can be had", "[bench]") {
  auto result = run_bench("--names");
  CHECK(result.status == 0);
  CHECK(std::set<std::string>(result.lines.begin(), result.lines.end())
            .count("heartbeats")
        == 1);
}

TEST_CASE("a bench that does not end in time is an error in its line",
          "[bench]") {
  auto result = run_bench("--limit 0 startup memory_core");
  CHECK(result.status == 1);
  REQUIRE(result.lines.size() == 2);
  for (const auto& line : result.lines)
    CHECK(json::parse(line).as_object().contains("error"));
}

TEST_CASE("a bench that does not exist is refused", "[bench]") {
  auto result = run_bench("no_such_bench 2>&1");
  CHECK(result.status != 0);
  CHECK(result.status != 1);
}
