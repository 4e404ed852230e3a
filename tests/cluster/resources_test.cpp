// GPUs and the like: who offers them, who gets them, and what goes wrong.

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// Tells which GPUs it has, and stays until all `n` instances have told.
std::string tell_and_stay(int n) {
  return "echo $STOKER_RESOURCE_GPU $CUDA_VISIBLE_DEVICES; "
         "touch told-$STOKER_INDEX; until [ $(ls told-* | wc -l) = "
         + std::to_string(n) + " ]; do sleep 0.05; done";
}

std::vector<std::string> sorted_lines(const std::string& text) {
  auto result = lines_of(text);
  std::sort(result.begin(), result.end());
  return result;
}

/// A program of the sandbox.
std::string script(const Cluster& cluster, const std::string& commands) {
  auto path = cluster.path("discover");
  std::ofstream{path} << "#!/bin/sh\n" << commands << '\n';
  ::chmod(path.c_str(), 0755);
  return path;
}

/// Runs a worker that should end before it registers.
Result worker(Cluster& cluster, const std::vector<std::string>& words) {
  std::vector<std::string> all{"worker",   "--cores",    "2",
                               "--memory", "1g",         "--master-timeout",
                               "0s",       "--work-dir", cluster.path("work")};
  all.insert(all.end(), words.begin(), words.end());
  return cluster.run(all);
}

std::string gpus_of(Cluster& cluster) {
  auto workers = cluster.status().at("workers");
  return boost::json::serialize(workers.at(0).at("resources"));
}

} // namespace

TEST_CASE("instances that run at the same time have a GPU of their own") {
  Cluster cluster;
  cluster.start_local(
      {"--cores", "4", "--memory", "2g", "--resource", "gpu=0,1,2,3"});
  auto result
      = cluster.run_script(4, tell_and_stay(4), {"--resource", "gpu=1"});
  CHECK(result.status == 0);
  CHECK(sorted_lines(result.out)
        == std::vector<std::string>{"0 0", "1 1", "2 2", "3 3"});
}

TEST_CASE("more GPUs for each instance are listed, and used again later") {
  Cluster cluster;
  cluster.start_master();
  cluster.start_worker({"--resource", "gpu=0,1,2,3", "--resource", "fpga=x"});
  const std::vector<std::string> two_gpus{"--resource", "gpu=2"};
  for (int i = 0; i < 2; ++i) {
    auto result = cluster.run_script(2, tell_and_stay(2), two_gpus);
    CHECK(result.status == 0);
    CHECK(sorted_lines(result.out)
          == std::vector<std::string>{"0,1 0,1", "2,3 2,3"});
  }
  auto both
      = cluster.run_script(1, "echo $STOKER_RESOURCE_FPGA $STOKER_RESOURCE_GPU",
                           {"--resource", "fpga=1", "--conf",
                            "spark.executor.resource.gpu.amount=1"});
  CHECK(both.out == "x 0\n");
  auto none = cluster.run({"run", "--", "env"});
  CHECK(none.status == 0);
  CHECK(none.out.find("STOKER_RESOURCE") == std::string::npos);
  CHECK(none.out.find("CUDA_VISIBLE_DEVICES") == std::string::npos);
}

TEST_CASE("GPUs bound how many instances run at a time") {
  Cluster cluster;
  cluster.start_local(
      {"--cores", "4", "--memory", "2g", "--resource", "gpu=7"});
  auto result = cluster.run_script(
      6,
      "mkdir alone && echo $STOKER_RESOURCE_GPU && sleep 0.05 && rmdir alone",
      {"--resource", "gpu=1"});
  CHECK(result.status == 0);
  CHECK(result.out == "7\n7\n7\n7\n7\n7\n");
}

TEST_CASE("more GPUs than any worker has are refused at once") {
  Cluster cluster;
  cluster.start_local(
      {"--cores", "2", "--memory", "1g", "--resource", "gpu=0,1"});
  check_refusal(cluster.run({"run", "--resource", "gpu=3", "--", "true"}), 1,
                "3 gpu");
  check_refusal(cluster.run({"run", "--resource", "tpu=1", "--", "true"}), 1,
                "1 tpu");
  check_refusal(cluster.run({"submit", "--resource", "gpu=3", "--", "true"}), 1,
                "3 gpu");
}

TEST_CASE("a driver gets GPUs too") {
  Cluster cluster;
  cluster.start_local(
      {"--cores", "2", "--memory", "1g", "--resource", "gpu=0,1"});
  auto submitted
      = cluster.run({"submit", "--resource", "gpu=2", "--", "sh", "-c",
                     "echo $STOKER_RESOURCE_GPU $CUDA_VISIBLE_DEVICES"});
  REQUIRE(submitted.status == 0);
  auto id = lines_of(submitted.out).front();
  auto log = cluster.run({"logs", id, "--follow"});
  CHECK(log.out == "0,1 0,1\n");
}

TEST_CASE("wrong words about resources are told in one line") {
  Cluster cluster;
  for (const auto* text : {"gpu", "gpu=", "=1"})
    check_refusal(worker(cluster, {"--resource", text}), 2,
                  '\'' + std::string{text} + "' is not NAME=ADDRESS");
  check_refusal(worker(cluster, {"--resource", "gpu=0,0"}), 1, "must differ");
  check_refusal(worker(cluster, {"--resource", "a b=0"}), 1,
                "'a b' cannot name");
  for (const auto* command : {"run", "submit"}) {
    for (const auto* text : {"gpu", "gpu=", "=1", "gpu=0", "gpu=-1", "gpu=x"})
      check_refusal(cluster.run({command, "--resource", text, "--", "true"}), 2,
                    '\'' + std::string{text} + "' is not NAME=AMOUNT");
    check_refusal(cluster.run({command, "--resource", "a b=1", "--", "true"}),
                  2, "'a b' cannot name");
  }
}

// -- what a worker finds ------------------------------------------------------

TEST_CASE("a worker offers what a script finds, as much as it may") {
  Cluster cluster;
  cluster.start_master();
  auto path = script(cluster, R"(echo '{"name": "gpu",)"
                              R"( "addresses": ["0", "1", "2"]}')");
  std::vector<std::string> words{
      "--conf", "spark.worker.resource.gpu.discoveryScript=" + path};
  SECTION("all") {
    cluster.start_worker(words);
    CHECK(gpus_of(cluster) == R"({"gpu":["0","1","2"]})");
  }
  SECTION("some") {
    words.insert(words.end(), {"--conf", "spark.worker.resource.gpu.amount=2"});
    cluster.start_worker(words);
    CHECK(gpus_of(cluster) == R"({"gpu":["0","1"]})");
  }
}

TEST_CASE("a worker offers what its resources file says of workers") {
  Cluster cluster;
  cluster.start_master();
  std::ofstream{cluster.path("resources.json")} << R"([
    {"id": {"componentName": "spark.worker", "resourceName": "gpu"},
     "addresses": ["4", "5"]},
    {"id": {"componentName": "spark.driver", "resourceName": "gpu"},
     "addresses": ["6"]}])";
  cluster.start_worker({"--conf", "spark.worker.resourcesFile="
                                      + cluster.path("resources.json")});
  CHECK(gpus_of(cluster) == R"({"gpu":["4","5"]})");
  auto result
      = cluster.run_script(2, tell_and_stay(2), {"--resource", "gpu=1"});
  CHECK(sorted_lines(result.out) == std::vector<std::string>{"4 4", "5 5"});
}

TEST_CASE("a worker does not start when its resources cannot be found") {
  Cluster cluster;
  const std::string setting = "spark.worker.resource.gpu.";
  auto discover = [&](const std::string& commands) {
    return worker(cluster, {"--conf", setting + "discoveryScript="
                                          + script(cluster, commands)});
  };
  auto path = cluster.path("discover");
  SECTION("a script fails") {
    check_refusal(discover("exit 3"), 1, path + " failed");
  }
  SECTION("a script finds something else") {
    check_refusal(discover(R"(echo '{"name": "fpga", "addresses": ["0"]}')"), 1,
                  path + " finds 'fpga', not 'gpu'");
  }
  SECTION("a script prints something else") {
    check_refusal(discover("echo three"), 1, path + " prints is not JSON");
  }
  SECTION("there is no script") {
    check_refusal(worker(cluster, {"--conf", setting + "discoveryScript="
                                                 + cluster.path("none")}),
                  1, "No such file or directory");
  }
  SECTION("there are too few") {
    check_refusal(worker(cluster, {"--resource", "gpu=0", "--conf",
                                   setting + "amount=2"}),
                  1, "gpu.amount is 2, but only 1 were found");
  }
  SECTION("there is no file") {
    check_refusal(worker(cluster, {"--conf", "spark.worker.resourcesFile="
                                                 + cluster.path("none")}),
                  1, cluster.path("none") + ": No such file or directory");
  }
}

TEST_CASE("two workers of a machine cannot offer the same resources file") {
  Cluster cluster;
  cluster.start_master();
  std::ofstream{cluster.path("resources.json")} << R"([
    {"id": {"componentName": "spark.worker", "resourceName": "gpu"},
     "addresses": ["4", "5"]}])";
  const std::vector<std::string> words{
      "--conf", "spark.worker.resourcesFile=" + cluster.path("resources.json")};
  auto first = cluster.start_worker(words);
  check_refusal(worker(cluster, words), 1,
                "another worker on this machine offers the resources in");
  // The lock ends with the process.
  first.process->send(SIGKILL);
  CHECK(eventually([&] { return !first.process->running(); }));
  cluster.start_worker(words);
}
