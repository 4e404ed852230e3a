// The example with PyTorch: a gang whose tasks train a model together.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/cluster/job_cluster.hpp"
#include "tests/cluster/networked_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace {

/// What the tasks learn.
constexpr const char* model = "y = 3.00 a -2.00 b +1.00, the same in 4 tasks\n";

/// Four tasks load gigabytes, perhaps twice.
constexpr auto loading = 4 * patience;

/// An interpreter that has PyTorch: STOKER_TORCH_PYTHON, or that which examples/torch/setup
/// makes.
std::string interpreter() {
  const char* named = std::getenv("STOKER_TORCH_PYTHON");
  return named ? named : STOKER_ROOT "/build/torch/bin/python";
}

/// Whether the example can run here. Says so if not.
bool has_torch() {
  auto command = "'" + interpreter()
                 + "' -c 'import torch.distributed as d; "
                   "exit(not d.is_gloo_available())' > /dev/null 2>&1";
  if (std::system(command.c_str()) == 0)
    return true;
  skip_extra(interpreter()
             + " has no PyTorch: examples/torch/setup makes one, and "
               "STOKER_TORCH_PYTHON may name another");
  return false;
}

/// @param env Of its tasks, as members of an object, with a comma before.
std::string training(const Cluster& cluster, const std::string& env = {}) {
  auto file = cluster.path("torch.json");
  std::ofstream{file} << R"({"name": "train", "stages": [{"name": "train",
             "input": {"range": 4}, "barrier": true, "env":
             {"PYTHONPATH": ")" STOKER_ROOT
                      << R"(/python", "PYTHONDONTWRITEBYTECODE": "1")" << env
                      << R"(}, "command": [")" << interpreter()
                      << R"(", ")" STOKER_ROOT
                         R"(/examples/torch/task.py"]}]})";
  return file;
}

} // namespace

TEST_CASE("a gang trains a model with PyTorch over several machines") {
  if (!has_torch())
    return;
  {
    Sandbox sandbox;
    if (auto why = Network::why_unavailable(sandbox))
      return skip(*why);
  }
  NetworkedCluster cluster;
  auto job = training(cluster);
  auto result
      = cluster
            .stoker_on(1, joined({"job", job, "--conf",
                                  "spark.driver.host=" + Network::address(1)},
                                 tls_options(cluster, "certs", "user")))
            .result(loading);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == model);
}

TEST_CASE("a gang whose rank of PyTorch is killed trains again as a whole") {
  if (!has_torch())
    return;
  JobCluster cluster{0};
  cluster.start_local({"--workers", "2", "--cores", "2", "--memory", "4g"});
  auto job = training(cluster, R"(, "TRAIN_KILLS": "2")");
  auto result = cluster.stoker({"job", job}).result(loading);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == model);
  CHECK(result.err.find("all tasks of the stage are tried again")
        != std::string::npos);
}
