// Datasets on clusters of real processes, also when something dies.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

using Texts = std::vector<std::string>;

/// Two workers of a core each.
struct DatasetCluster : Cluster {
  DatasetCluster() {
    start_local({"--workers", "2", "--cores", "1", "--memory", "1g"});
  }

  /// Of no workers.
  explicit DatasetCluster(int) {
    start_master();
  }

  Process& start_driver(const std::string& what, const std::string& argument) {
    return start({DATASET_PROGRAM, what, argument});
  }

  Result run_driver(const std::string& what, const std::string& argument = "") {
    return start_driver(what, argument).result();
  }

  /// The processes that wait in tasks, by the files that say so.
  [[nodiscard]] std::vector<pid_t> waiting() const {
    std::vector<pid_t> result;
    for (const auto& entry : fs::directory_iterator{path("")}) {
      auto name = entry.path().filename().string();
      if (name.starts_with("began-"))
        result.push_back(std::stoi(name.substr(name.rfind('-') + 1)));
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }
};

/// Of the numbers below 1000 by their last digit.
std::string expected_sums() {
  std::string result;
  for (auto digit = 0; digit < 10; ++digit)
    result += std::to_string(digit) + ' ' + std::to_string(100 * digit + 49'500)
              + '\n';
  return result;
}

} // namespace

TEST_CASE("a dataset is computed by executors that are its own program") {
  DatasetCluster cluster;
  auto result = cluster.run_driver("sums");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == expected_sums());
  CHECK(result.err.empty());
}

TEST_CASE("operations and actions of all kinds run on a cluster") {
  DatasetCluster cluster;
  auto result = cluster.run_driver("all");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out)
        == Texts{"3000000 2999999", "10", "2 20", "10", "499500"});
}

TEST_CASE("a dataset whose executor is killed in the middle is right") {
  DatasetCluster cluster;
  auto& driver = cluster.start_driver("wait", cluster.path(""));
  REQUIRE(eventually([&] { return cluster.waiting().size() == 2; }));
  ::kill(cluster.waiting().front(), SIGKILL);
  REQUIRE(eventually([&] { return says(driver, "its executor was lost"); }));
  std::ofstream{cluster.path("go")};
  auto result = driver.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == expected_sums());
}

TEST_CASE("what a lost worker had is computed again by the next job") {
  DatasetCluster cluster{0};
  auto first = cluster.start_worker();
  auto& driver = cluster.start_driver("again", cluster.path(""));
  REQUIRE(eventually([&] { return fs::exists(cluster.path("counted")); }));
  cluster.start_worker();
  first.process->send(SIGKILL);
  std::ofstream{cluster.path("go")};
  auto result = driver.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == expected_sums());
}

TEST_CASE("a function that throws fails its job with what it says") {
  DatasetCluster cluster;
  auto result = cluster.run_driver("fail");
  CHECK(result.status == 1);
  auto lines = lines_of(result.err);
  REQUIRE(!lines.empty());
  CHECK(lines.back().starts_with("error: "));
  CHECK(lines.back().find("of stage 'range, map, collect' failed 4 times")
        != std::string::npos);
  CHECK(lines.back().ends_with(": the function threw: seven is not wanted"));
}

TEST_CASE("lines are saved in a file for each partition") {
  DatasetCluster cluster;
  auto directory = cluster.path("out");
  // Relative to where the driver was started.
  auto result = cluster.run_driver("save", "./out");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(contents_of(directory + "/part-00000") == "line 0\nline 1\n");
  CHECK(contents_of(directory + "/part-00001") == "line 2\nline 3\nline 4\n");
  CHECK(fs::exists(directory + "/_SUCCESS"));
  CHECK(std::distance(fs::directory_iterator{directory}, {}) == 3);
  auto again = cluster.run_driver("save", directory);
  CHECK(again.status == 1);
  CHECK(again.err.find("cannot create the output directory " + directory)
        != std::string::npos);
  CHECK(contents_of(directory + "/part-00000") == "line 0\nline 1\n");
}

TEST_CASE("several threads have jobs at once") {
  DatasetCluster cluster;
  auto result = cluster.run_driver("threads");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out)
        == Texts{"50", std::to_string(5 * (4'950 + 10)),
                 std::to_string(5 * (19'900 + 10)),
                 std::to_string(5 * (44'850 + 10))});
}

TEST_CASE("jobs of several pools run one after the other, or share executors "
          "evenly") {
  DatasetCluster cluster;
  auto mode = GENERATE(as<std::string>{}, "FIFO", "FAIR");
  auto& driver = cluster.start_driver(mode, cluster.path(""));
  auto runs
      = [&](const std::string& task) { return fs::exists(cluster.path(task)); };
  // Two tasks of the first job have both executors. The second job has been submitted
  // when the master knows of two.
  REQUIRE(eventually([&] {
    auto jobs = cluster.run({"status", "jobs", "--json"});
    if (jobs.status != 0)
      return false;
    auto apps = boost::json::parse(jobs.out).at("applications").as_array();
    return !apps.empty() && apps.front().at("jobs").as_array().size() == 2;
  }));
  CHECK_FALSE(runs("second-0"));
  std::ofstream{cluster.path("go-0")};
  if (mode == "FIFO") {
    REQUIRE(eventually([&] { return runs("first-2"); }));
    CHECK_FALSE(runs("second-0"));
  } else {
    REQUIRE(eventually([&] { return runs("second-0"); }));
    CHECK_FALSE(runs("first-2"));
  }
  std::ofstream{cluster.path("go")};
  auto result = driver.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "6\n");
}

TEST_CASE("a driver that is interrupted ends its job, and leaves nothing") {
  DatasetCluster cluster;
  auto& driver = cluster.start_driver("wait", cluster.path(""));
  REQUIRE(eventually([&] { return cluster.waiting().size() == 2; }));
  driver.send(SIGINT);
  auto result = driver.result();
  CHECK(result.status == 1);
  CHECK(result.err.find("error: interrupted") != std::string::npos);
  CHECK(eventually([&] {
    return values_of(cluster.status().at("completed_apps"), "state")
           == Texts{"KILLED"};
  }));
  auto executors = cluster.waiting();
  CHECK(eventually(
      [&] { return std::none_of(executors.begin(), executors.end(), lives); }));
}

TEST_CASE(
    "a task that does not end by itself ends with its job, and its executor "
    "goes on") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "2", "--memory", "1g"});
  auto result
      = cluster.start({DATASET_PROGRAM, "endless", cluster.path("")}).result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out)
        == Texts{"range: failed, same executor", "emit: failed, same executor",
                 "wait: failed, same executor",
                 "source: failed, same executor"});
}

// A sanitizer's own memory is larger.
#if !defined(STOKER_SANITIZED)
TEST_CASE("partitions of 300 MB need no more memory than an executor has") {
  DatasetCluster cluster;
  auto result = cluster.run_driver("large");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out)
        == Texts{"reduce_by_key 300000000 in bounds",
                 "group_by_key 300000000 in bounds",
                 "join 300000000 in bounds"});
}
#endif

TEST_CASE("executors that fit nowhere are an error at once") {
  DatasetCluster cluster;
  auto result = cluster.run_driver("memory", "100g");
  CHECK(result.status == 1);
  CHECK(result.err.find("error: ") == 0);
}

TEST_CASE("a driver has a cluster of its own where it is told no master") {
  Sandbox sandbox;
  auto result = sandbox.start({DATASET_PROGRAM, "sums"}).result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == expected_sums());
}

TEST_CASE("the ranks of pages are those that one thread computes") {
  Sandbox sandbox;
  auto result
      = sandbox.start({PAGERANK_PROGRAM, "300", "3", "local[2]"}).result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out.find("one thread computes the same") != std::string::npos);
}

TEST_CASE("two applications have all of a cluster in turn") {
  Sandbox sandbox;
  auto result = sandbox.start({ELASTIC_PROGRAM, "--json"}).result();
  INFO(result.out);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out.find(R"("reports":8,"queries":0)") != std::string::npos);
  CHECK(result.out.find(R"("reports":0,"queries":8)") != std::string::npos);
}

TEST_CASE("words are counted") {
  Sandbox sandbox;
  std::ofstream{sandbox.path("a.txt")} << "to be or not\nto  be\n";
  std::ofstream{sandbox.path("b.txt")} << "\n to";
  auto result
      = sandbox.start({WORDS_PROGRAM, sandbox.path("*.txt"), "local[2]"})
            .result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out
        == "         3 to\n         2 be\n         1 not\n         1 or\n");
}
