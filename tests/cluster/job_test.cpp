// What `stoker job` does for its user, also when something dies.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/cluster/job_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

using Texts = std::vector<std::string>;

std::string sorted(const std::string& text) {
  auto lines = lines_of(text);
  std::sort(lines.begin(), lines.end());
  std::string result;
  for (const auto& line : lines)
    result += line + '\n';
  return result;
}

} // namespace

TEST_CASE("results of a job come in the order of its tasks") {
  JobCluster cluster;
  auto result = cluster.run_job(
      R"({"name": "a", "input": {"range": 7},
          "command": ["sh", "-c", "read x; [ $x != 0 ] || sleep 0.3; echo $x"]})");
  CHECK(result.status == 0);
  CHECK(result.out == "0\n1\n2\n3\n4\n5\n6\n");
  // And nothing else, wherever it goes.
  REQUIRE(lines_of(result.err).size() == 1);
  CHECK(result.err.starts_with("stoker: done: 7 tasks of 1 stage in "));
}

TEST_CASE("a job that is to be quiet says nothing but its results") {
  JobCluster cluster;
  auto result
      = cluster.run_job(std::string{range_of_4} + R"(["cat"]})", {"--quiet"});
  CHECK(result.err == "");
  CHECK(result.out == "0\n1\n2\n3\n");
}

TEST_CASE("words that are counted by stages are those that there are") {
  JobCluster cluster;
  std::ofstream{cluster.path("a.txt")} << "to be or not\nto be";
  std::ofstream{cluster.path("b.txt")} << "that is the\n\nquestion to be\n";
  auto output = cluster.path("counts");
  auto result = cluster.run({"job", "--input", cluster.path("*.txt"), "--map",
                             "tr -cs a-z '\\n'", "--partitions", "3",
                             "--reduce", "sort | uniq -c", "--output", output});
  INFO(result.err);
  CHECK(lines_of(result.err).size() == 1);
  REQUIRE(result.status == 0);
  CHECK(fs::exists(output + "/_SUCCESS"));
  std::string all;
  for (const auto* part : {"part-00000", "part-00001", "part-00002"})
    all += contents_of(output + '/' + part);
  std::string plain;
  std::istringstream words{all};
  for (std::string count, word; words >> count >> word;)
    plain += word + ' ' + count + '\n';
  CHECK(sorted(plain)
        == "be 3\nis 1\nnot 1\nor 1\nquestion 1\nthat 1\nthe 1\nto 3\n");
  CHECK(std::distance(fs::directory_iterator{output}, {}) == 4);
  // A second time nothing is replaced.
  auto again = cluster.run({"job", "--input", cluster.path("*.txt"), "--map",
                            "cat", "--output", output});
  CHECK(again.status == 2);
  CHECK(again.err.find("exists") != std::string::npos);
}

TEST_CASE("a stage that reads another task by task has its parts in order") {
  JobCluster cluster;
  auto result = cluster.run_job(std::string{range_of_4}
                                + R"(["sh", "-c", "read x; echo a$x"]},
    {"name": "b", "from": ["a"], "command": ["sed", "s/$/b/"]},
    {"name": "c", "from": ["b"], "command": ["sed", "s/$/c/"]})");
  CHECK(result.status == 0);
  CHECK(result.out == "a0bc\na1bc\na2bc\na3bc\n");
}

TEST_CASE("large results are brought whole") {
  JobCluster cluster;
  auto result = cluster.run_job(
      R"({"name": "a", "input": {"range": 3},
          "command": ["sh", "-c", "read x; seq $x 3 600000"]})");
  INFO(result.err);
  CHECK(lines_of(result.err).size() == 1);
  REQUIRE(result.status == 0);
  std::string expected;
  for (int x = 0; x < 3; ++x)
    for (int i = x; i <= 600000; i += 3)
      expected += std::to_string(i) + '\n';
  CHECK(result.out == expected);
}

TEST_CASE("results that find no room at the driver fail their job, and are not "
          "made again") {
  JobCluster cluster;
  // Where nothing can be written, as on a full disk.
  cluster.environment["TMPDIR"] = "/proc";
  auto attempts = cluster.path("attempts");
  auto result = cluster.run_job(
      R"({"name": "a", "input": {"range": 1}, "command": ["sh", "-c",
          "echo >>)"
      + attempts + R"(; head -c 40000000 /dev/zero"]})");
  CHECK(result.out.empty());
  check_refusal(result, 1, "cannot keep results in /proc: ");
  CHECK(contents_of(attempts) == "\n");
}

TEST_CASE("a task that fails is tried four times, and fails its job with its "
          "last words") {
  JobCluster cluster;
  auto output = cluster.path("out");
  auto result = cluster.run_job(
      std::string{range_of_4}
      + R"(["sh", "-c", "read x; [ $x != 2 ] || { echo oops $STOKER_ATTEMPT >&2; exit 7; }"],
           "output": ")"
      + output + "\"}");
  CHECK(result.status == 7);
  CHECK(result.err.find("| oops ") != std::string::npos);
  CHECK(result.err.find("task 2 of stage 'a' failed 4 times")
        != std::string::npos);
  CHECK_FALSE(fs::exists(output));
}

TEST_CASE("a task that failed once may do it the second time") {
  JobCluster cluster;
  auto result = cluster.run_job(
      std::string{range_of_4}
      + R"(["sh", "-c", "read x; [ $x$STOKER_ATTEMPT != 20 ] && echo $x"]})");
  CHECK(result.status == 0);
  CHECK(result.out == "0\n1\n2\n3\n");
}

TEST_CASE("a job in which an executor is killed ends right") {
  JobCluster cluster;
  auto& job = cluster.start_job(
      R"({"name": "a", "input": {"range": 6}, "shuffle": {"partitions": 2},
          "command": ["sh", "-c", "read x; seq $x 100"]},
         {"name": "b", "from": ["a"],
          "command": ["sh", "-c",
                      "touch b$STOKER_TASK; until [ -e go ]; do sleep 0.05; done; wc -l"],
          "working_directory": ")"
      + cluster.path("") + R"("})");
  // Each executor has one of them.
  REQUIRE(eventually([&] {
    return fs::exists(cluster.path("b0")) && fs::exists(cluster.path("b1"));
  }));
  REQUIRE(cluster.executors().size() == 2);
  ::kill(cluster.executors().front(), SIGKILL);
  REQUIRE(eventually([&] { return says(job, "its executor was lost"); }));
  std::ofstream{cluster.path("go")};
  auto result = job.result();
  CHECK(result.status == 0);
  auto lines = lines_of(result.out);
  REQUIRE(lines.size() == 2);
  // 101 + 100 + 99 + 98 + 97 + 96
  CHECK(std::stoi(lines[0]) + std::stoi(lines[1]) == 591);
}

TEST_CASE("an executor that is killed as soon as it is there is replaced") {
  JobCluster cluster{0};
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  auto& job = cluster.start_job(
      std::string{range_of_4}
      + R"(["sh", "-c", "until [ -e go ]; do sleep 0.05; done; cat"],
           "working_directory": ")"
      + cluster.path("") + R"("})");
  std::vector<pid_t> executors;
  REQUIRE(eventually([&] {
    executors = cluster.executors();
    return !executors.empty();
  }));
  ::kill(executors.front(), SIGKILL);
  std::ofstream{cluster.path("go")};
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "0\n1\n2\n3\n");
}

TEST_CASE("a job whose worker is lost with outputs makes them again") {
  JobCluster cluster{0};
  cluster.start_master();
  auto first = cluster.start_worker();
  auto& job = cluster.start_job(
      R"({"name": "a", "input": {"range": 4}, "shuffle": {"partitions": 2},
          "command": ["sh", "-c", "read x; touch done$x; seq $x 100"],
          "working_directory": ")"
      + cluster.path("") + R"("},
         {"name": "b", "from": ["a"],
          "command": ["sh", "-c", "touch began; until [ -e go ]; do sleep 0.05; done; wc -l"],
          "working_directory": ")"
      + cluster.path("") + R"("})");
  REQUIRE(eventually([&] { return fs::exists(cluster.path("began")); }));
  auto second = cluster.start_worker();
  first.process->send(SIGKILL);
  std::ofstream{cluster.path("go")};
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  auto lines = lines_of(result.out);
  REQUIRE(lines.size() == 2);
  CHECK(std::stoi(lines[0]) + std::stoi(lines[1]) == 398);
}

TEST_CASE("a job that is interrupted leaves nothing") {
  JobCluster cluster;
  auto output = cluster.path("out");
  auto& job = cluster.start_job(std::string{range_of_4}
                                + R"(["sleep", "1000"], "output": ")" + output
                                + "\"}");
  REQUIRE(eventually([&] { return cluster.executors().size() == 2; }));
  job.send(SIGINT);
  CHECK(job.result().status == 130);
  CHECK_FALSE(fs::exists(output));
  CHECK(eventually([&] {
    return values_of(cluster.status().at("completed_apps"), "state")
           == Texts{"KILLED"};
  }));
  CHECK(eventually([&] { return cluster.executors().empty(); }));
}

TEST_CASE("executors end with their driver, and do not wait for its master") {
  JobCluster cluster{0};
  // For so long the master waits for the driver to come back.
  cluster.start_local({"--workers", "4", "--cores", "1", "--memory", "1g",
                       "--conf", "stoker.reconnect.timeout=10m"});
  auto& job
      = cluster.start_job(std::string{range_of_4} + R"(["sleep", "1000"]})");
  REQUIRE(eventually([&] { return cluster.executors().size() == 4; }));
  REQUIRE(eventually([&] {
    return values_of(cluster.status().at("active_apps"), "state")
           == Texts{"RUNNING"};
  }));
  job.send(SIGKILL);
  CHECK(eventually([&] { return cluster.executors().empty(); }));
}

TEST_CASE("a program that does not read its input, or closes it, does not fail "
          "its job") {
  JobCluster cluster;
  std::ofstream big{cluster.path("big.txt")};
  for (int i = 0; i < 300'000; ++i)
    big << "a line of some length, so that no pipe holds all of them\n";
  big.close();
  auto none = cluster.run(
      {"job", "--input", cluster.path("big.txt"), "--map", "echo x"});
  CHECK(none.status == 0);
  CHECK(none.out == "x\n");
  auto one = cluster.run(
      {"job", "--input", cluster.path("big.txt"), "--map", "head -n 1"});
  CHECK(one.status == 0);
  CHECK(one.out
        == "a line of some length, so that no pipe holds all of them\n");
}

TEST_CASE("a job that cannot be is refused before anything is tried") {
  JobCluster cluster;
  auto refused = [&](const std::string& stages, const std::string& words) {
    INFO(words);
    check_refusal(cluster.run_job(stages), 2, words);
  };
  refused(R"({"name": "a", "input": {"range": 0}, "command": ["cat"]})",
          "range");
  refused(R"({"name": "a", "input": {"range": 1}, "command": ["no-such"]})",
          "there is no program 'no-such'");
  refused(R"({"name": "a", "input": {"files": ["nowhere/*"]},
              "command": ["cat"]})",
          "nowhere/*");
  refused(R"({"name": "a", "from": ["b"], "command": ["cat"]},
             {"name": "b", "from": ["a"], "command": ["cat"]})",
          "circle");
  refused(R"({"name": "a", "inputs": {"range": 1}, "command": ["cat"]})",
          "did you mean 'input'?");
  refused(R"({"name": "a", "input": {"range": 1}, "cores": 3,
              "command": ["cat"]})",
          "spark.executor.cores");
  check_refusal(cluster.run({"job", cluster.path("missing.json")}), 2,
                "missing.json");
  check_refusal(cluster.run({"job"}), 2, "a job file is needed");
}

// -- what is told of jobs -----------------------------------------------------

TEST_CASE("what the tasks of a job wait for is told while it runs, and how it "
          "ended afterwards") {
  JobCluster cluster;
  auto& job = cluster.start_job(
      R"({"name": "a", "input": {"range": 6}, "shuffle": {"partitions": 2},
          "command": ["sh", "-c", "until [ -e go ]; do sleep 0.05; done"],
          "working_directory": ")"
      + cluster.path("") + R"("},
         {"name": "b", "from": ["a"], "command": ["cat"]})");
  REQUIRE(eventually([&] {
    auto stages = cluster.jobs("stages");
    return !stages.is_null()
           && values_of(stages, "waits")
                  == Texts{
                      "4 tasks wait for free cores: 2 of 2 are in use",
                      "it waits for stage 'a', of which 6 tasks are not done"};
  }));
  CHECK(cluster.states("stages") == Texts{"ACTIVE", "PENDING"});
  CHECK(cluster.states() == Texts{"RUNNING"});
  auto id = values_of(cluster.status().at("active_apps"), "id").at(0);
  auto explained = cluster.run({"explain", id}).out;
  INFO(explained);
  CHECK(explained.find("1 job runs 2 tasks on 2 executors\n"
                       "- stage 0 'a': 4 tasks wait for free cores: 2 of 2 are "
                       "in use\n"
                       "- stage 1 'b': it waits for stage 'a', of which 6 "
                       "tasks are not done\n")
        != std::string::npos);
  auto table = cluster.run({"status", "stages", "--app", id}).out;
  INFO(table);
  CHECK(table.find("  4 tasks wait for free cores: 2 of 2 are in use\n")
        != std::string::npos);
  std::ofstream{cluster.path("go")};
  CHECK(job.result().status == 0);
  // Told before the command ends.
  CHECK(cluster.states() == Texts{"SUCCEEDED"});
  CHECK(cluster.states("stages") == Texts{"COMPLETE", "COMPLETE"});
  CHECK(cluster.run({"status", "jobs", "--active"}).out == "Jobs\n  (none)\n");
  check_refusal(
      cluster.run({"status", "jobs", "--app", "app-20261121074600-0009"}), 1,
      "not known");
  check_refusal(cluster.run({"status", "jobs", "--state", "active"}), 2,
                "not a state of a job");
}

TEST_CASE("a job that fails, and one that is interrupted, are told as such") {
  JobCluster cluster;
  CHECK(cluster
            .run_job(R"({"name": "a", "input": {"range": 1}, "max_failures": 1,
                         "command": ["false"]})")
            .status
        == 1);
  CHECK(cluster.states() == Texts{"FAILED"});
  CHECK(cluster.states("stages") == Texts{"FAILED"});
  auto message = values_of(cluster.jobs(), "message").at(0);
  CHECK(message.find("task 0 of stage 'a' failed") != std::string::npos);
  auto& job
      = cluster.start_job(std::string{range_of_4} + R"(["sleep", "1000"]})");
  REQUIRE(eventually([&] { return cluster.states() == Texts{"RUNNING"}; }));
  job.send(SIGINT);
  CHECK(job.result().status == 130);
  CHECK(cluster.states() == Texts{"KILLED"});
}

TEST_CASE("a new leader is told what jobs do") {
  JobCluster cluster{0};
  auto& master = cluster.start_master();
  cluster.start_worker();
  auto& job = cluster.start_job(
      std::string{range_of_4}
      + R"(["sh", "-c", "read x; [ $x = 0 ] || until [ -e go ]; do sleep 0.05; done; echo $x"],
           "working_directory": ")"
      + cluster.path("") + R"("})");
  auto one_is_done = [&] {
    auto jobs = cluster.jobs();
    return !jobs.is_null() && jobs.at(0).at("done").as_int64() == 1
           && jobs.at(0).at("running").as_int64() == 2;
  };
  REQUIRE(eventually(one_is_done));
  master.send(SIGKILL);
  master.result();
  cluster.start_master();
  CHECK(eventually(one_is_done));
  std::ofstream{cluster.path("go")};
  CHECK(job.result().status == 0);
  CHECK(cluster.states() == Texts{"SUCCEEDED"});
}
