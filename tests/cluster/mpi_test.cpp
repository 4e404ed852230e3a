// The example with MPI: a gang whose first task runs mpirun over the hosts of all, and
// whose tasks start its daemons.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/cluster/job_cluster.hpp"
#include "tests/cluster/networked_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

/// Nothing: it can be had here.
std::string why_no_mpi() {
  for (const auto* program :
       {"python3 -c pass", "mpirun --version", "mpicc -v"})
    if (std::system((std::string{program} + " > /dev/null 2>&1").c_str()) != 0)
      return std::string{program} + " does not work here";
  return {};
}

/// Where the example runs, and its job is.
fs::path home_of(const Cluster& cluster) {
  return fs::path{cluster.path("pi.json")}.parent_path();
}

/// Puts the example into the sandbox, and writes its job.
std::string pi_job(Cluster& cluster, const std::string& env = {}) {
  auto source = std::string{STOKER_ROOT "/examples/mpi/"};
  for (const auto* name : {"task.py", "agent.py"})
    fs::copy_file(source + name, cluster.path(name));
  auto compile
      = "mpicc -O1 -o '" + cluster.path("pi") + "' '" + source + "pi.c'";
  REQUIRE(std::system(compile.c_str()) == 0);
  auto directory = home_of(cluster).string();
  std::ofstream{cluster.path("pi.json")}
      << R"({"name": "pi", "stages": [{"name": "pi", "input": {"range": 4},
             "barrier": true, "working_directory": ")"
      << directory << R"(", "env": {"PYTHONPATH": ")" STOKER_ROOT
      << R"(/python", "PYTHONDONTWRITEBYTECODE": "1")" << env
      << R"(}, "command": ["python3", "task.py", "20000000", "./pi"]}]})";
  return cluster.path("pi.json");
}

/// Processes of that name that run there.
std::vector<pid_t> named(const std::string& name, const fs::path& home) {
  std::vector<pid_t> result;
  for (const auto& entry : fs::directory_iterator{"/proc"}) {
    auto pid = std::atoi(entry.path().filename().c_str());
    std::ifstream file{entry.path() / "comm"};
    std::string comm;
    std::error_code error;
    if (pid > 0 && std::getline(file, comm) && comm == name && lives(pid)
        && fs::read_symlink(entry.path() / "cwd", error) == home)
      result.push_back(pid);
  }
  return result;
}

/// In how many networks they are.
std::size_t networks(const std::vector<pid_t>& pids) {
  std::set<std::string> result;
  for (auto pid : pids) {
    std::error_code error;
    auto network
        = fs::read_symlink("/proc/" + std::to_string(pid) + "/ns/net", error);
    if (!error)
      result.insert(network.string());
  }
  return result.size();
}

bool nothing_is_left(const fs::path& home) {
  return eventually([&] {
    return named("pi", home).empty() && named("mpirun", home).empty()
           && named("orted", home).empty();
  });
}

} // namespace

TEST_CASE("a gang runs a program of MPI over several machines") {
  if (auto why = why_no_mpi(); !why.empty())
    return skip(why);
  {
    Sandbox sandbox;
    if (auto why = Network::why_unavailable(sandbox))
      return skip(*why);
  }
  NetworkedCluster cluster;
  auto job = pi_job(cluster, R"(, "PI_SECONDS": "2")");
  auto& driver = cluster.stoker_on(
      1,
      joined({"job", job, "--conf", "spark.driver.host=" + Network::address(1)},
             tls_options(cluster, "certs", "user")));
  // Daemons of mpirun run where it does not.
  CHECK(
      eventually([&] { return networks(named("pi", home_of(cluster))) == 2; }));
  auto result = driver.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "3.141592653590\n");
  CHECK(nothing_is_left(home_of(cluster)));
}

TEST_CASE("a gang whose rank of MPI is killed runs again as a whole") {
  if (auto why = why_no_mpi(); !why.empty())
    return skip(why);
  JobCluster cluster{0};
  cluster.start_local({"--workers", "2", "--cores", "2", "--memory", "2g"});
  auto job = pi_job(cluster, R"(, "PI_SECONDS": "3")");
  auto& driver = cluster.stoker({"job", job});
  // Before that mpirun may wait for one that is gone.
  for (const auto* rank : {"0", "1", "2", "3"})
    REQUIRE(eventually([&] {
      return fs::exists(cluster.path(std::string{"begun-"} + rank));
    }));
  auto ranks = named("pi", home_of(cluster));
  REQUIRE(ranks.size() == 4);
  ::kill(ranks[2], SIGKILL);
  auto result = driver.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "3.141592653590\n");
  CHECK(result.err.find("all tasks of the stage are tried again")
        != std::string::npos);
  CHECK(nothing_is_left(home_of(cluster)));
}
