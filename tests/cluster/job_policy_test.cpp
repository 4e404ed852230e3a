// What `stoker job` does besides running tasks: limits, second attempts, executors that
// are left out, and an end that leaves nothing.

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/cluster/job_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

/// How often some words are in a text.
std::size_t times(const std::string& words, const std::string& text) {
  std::size_t result = 0;
  for (auto at = text.find(words); at != std::string::npos;
       at = text.find(words, at + 1))
    ++result;
  return result;
}

/// Files below a directory whose names end so.
std::size_t files_below(const std::string& directory, const std::string& end) {
  std::size_t result = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator i{directory, error}, last;
       !error && i != last; i.increment(error))
    result += i->path().string().ends_with(end) ? 1 : 0;
  return result;
}

/// A stage of outputs, and one that reads them and waits for `go`.
std::string reader_that_waits(const JobCluster& cluster,
                              const std::string& after) {
  return R"({"name": "a", "input": {"range": 2}, "shuffle": {"partitions": 2},
             "command": ["seq", "100"]},
            {"name": "b", "from": ["a"], "command": ["sh", "-c",
             "touch began$STOKER_TASK; )"
         + after + R"("], )" + cluster.here();
}

} // namespace

TEST_CASE("a stage that takes longer than its time limit ends its job, and all "
          "that runs of it") {
  JobCluster cluster;
  auto output = cluster.path("out");
  auto result = cluster.run_job(std::string{range_of_4}
                                + R"(["sleep", "1000"], "time_limit": "1s",
                                    "output": ")"
                                + output + "\"}");
  INFO(result.err);
  CHECK(result.status == 1);
  CHECK(result.out.empty());
  CHECK(lines_of(result.err).back()
        == "stoker: stage 'a' took longer than its time limit, 1 s");
  CHECK_FALSE(fs::exists(output));
  CHECK(eventually([&] { return cluster.running("sleep 1000").empty(); }));
  CHECK(eventually([&] { return cluster.executors().empty(); }));
  CHECK(cluster.states() == std::vector<std::string>{"FAILED"});
}

TEST_CASE(
    "of two attempts at a task the first one that is done counts, and the "
    "other is ended") {
  JobCluster cluster;
  auto output = cluster.path("out");
  // The first attempt at the last task writes, and then takes for ever. The second one is
  // done once that has begun.
  auto& job = cluster.start_job(
      std::string{range_of_4}
          + R"(["sh", "-c", "read x; echo $x; [ $x = 3 ] || exit 0;)"
            R"( [ $STOKER_ATTEMPT = 0 ] || until [ -e slow ]; do sleep 0.05; done;)"
            R"( [ $STOKER_ATTEMPT = 0 ] || exit 0; touch slow; exec sleep 1000"],
               "output": ")"
          + output + "\", " + cluster.here() + "}",
      R"("spark.speculation": true)");
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(fs::exists(cluster.path("slow")));
  for (int task = 0; task < 4; ++task)
    CHECK(contents_of(output + "/part-0000" + std::to_string(task))
          == std::to_string(task) + '\n');
  CHECK(fs::exists(output + "/_SUCCESS"));
  // Nothing of the other attempt.
  CHECK(std::distance(fs::directory_iterator{output}, {}) == 5);
  CHECK(eventually([&] { return cluster.running("sleep 1000").empty(); }));
  CHECK(values_of(cluster.jobs("stages"), "failed")
        == std::vector<std::string>{"0"});
}

TEST_CASE("an executor where tasks fail is left out, and the job ends right") {
  JobCluster cluster{0};
  cluster.start_master();
  cluster.environment["BAD_WORKER"] = "1";
  cluster.environment["STOKER_WORKER_PASS_ENV"] += ",BAD_WORKER";
  cluster.start_core("bad");
  cluster.environment.erase("BAD_WORKER");
  cluster.start_core("good");
  // Both executors begin with one; the bad one would fail all of them.
  auto& job = cluster.start_job(
      R"({"name": "a", "input": {"range": 12}, "command": ["sh", "-c",
          "read x; touch began$x; until [ -e go ]; do sleep 0.05; done;)"
      R"( [ -z \"$BAD_WORKER\" ] || exit 3; sleep 0.1; echo $x"], )"
          + cluster.here() + "}",
      R"("spark.excludeOnFailure.enabled": true)");
  REQUIRE(eventually([&] {
    return fs::exists(cluster.path("began0"))
           && fs::exists(cluster.path("began1"));
  }));
  cluster.go();
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n");
  CHECK(times("exited with 3", result.err) == 2);
}

TEST_CASE("a job that is interrupted while it writes leaves no file") {
  JobCluster cluster{0};
  cluster.start_master();
  cluster.start_core("work");
  auto output = cluster.path("out");
  auto& job = cluster.start_job(reader_that_waits(cluster, "exec yes")
                                + R"(, "output": ")" + output + "\"}");
  REQUIRE(eventually([&] {
    return files_below(cluster.path("work"), ".data") == 2
           && !fs::is_empty(output)
           && fs::file_size(fs::directory_iterator { output } -> path())
                  > 100'000;
  }));
  job.send(SIGINT);
  CHECK(job.result().status == 130);
  CHECK_FALSE(fs::exists(output));
  CHECK(eventually([&] {
    return files_below(cluster.path("work"), ".data") == 0
           && files_below(cluster.path("work"), ".index") == 0;
  }));
  CHECK(eventually([&] {
    return cluster.running("yes").empty() && cluster.executors().empty();
  }));
}

TEST_CASE(
    "a worker that is started again removes the outputs of an application "
    "that has ended meanwhile") {
  JobCluster cluster{0};
  cluster.start_master({"--conf", "stoker.reconnect.timeout=1s"});
  auto& worker = cluster.start_core("work");
  auto& job = cluster.start_job(
      reader_that_waits(cluster, "until [ -e go ]; do sleep 0.05; done") + "}");
  REQUIRE(eventually([&] {
    return fs::exists(cluster.path("began0"))
           && files_below(cluster.path("work"), ".data") == 2;
  }));
  worker.send(SIGKILL);
  for (const auto& pid : cluster.running("supervise"))
    ::kill(pid, SIGKILL);
  for (const auto& pid : cluster.running("executor-guard"))
    ::kill(pid, SIGKILL);
  for (const auto& pid : cluster.executors())
    ::kill(pid, SIGKILL);
  job.send(SIGKILL);
  job.result();
  CHECK(files_below(cluster.path("work"), ".data") == 2);
  REQUIRE(eventually(
      [&] { return cluster.status().at("active_apps").as_array().empty(); }));
  cluster.start_core("work");
  CHECK(eventually([&] {
    return files_below(cluster.path("work"), ".data") == 0
           && files_below(cluster.path("work"), ".index") == 0;
  }));
}
