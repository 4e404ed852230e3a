// Several workers of one machine, started by one command.

#include <signal.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/cluster/cluster.hpp"
#include "tests/cluster/networked_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

using Words = std::vector<std::string>;

/// A master, and a fleet of workers.
struct FleetFixture {
  Cluster cluster;
  Process* fleet = nullptr;

  void start(Words words) {
    cluster.start_master();
    words.insert(words.begin(), {"worker", "--work-dir", cluster.path("work")});
    fleet = &cluster.stoker(words);
  }

  [[nodiscard]] Words workers(const std::string& state) {
    Words result;
    auto all = cluster.status().at("workers");
    for (const auto& x : all.as_array())
      if (text_of(x, "state") == state)
        result.push_back(text_of(x, "id"));
    return result;
  }

  void await_workers(std::size_t count) {
    REQUIRE(eventually([&] { return workers("ALIVE").size() == count; }));
  }
};

/// Ids end with the worker's process.
pid_t pid_of(const std::string& worker) {
  return std::stoi(worker.substr(worker.rfind('-') + 1));
}

} // namespace

TEST_CASE("one command starts several workers, and ends them") {
  FleetFixture x;
  x.start({"--instances", "3", "--cores", "1", "--memory", "512m"});
  x.await_workers(3);
  auto result = x.cluster.run_script(3, "echo $STOKER_WORKER_ID");
  CHECK(result.status == 0);
  auto lines = lines_of(result.out);
  std::sort(lines.begin(), lines.end());
  CHECK(std::unique(lines.begin(), lines.end()) - lines.begin() == 3);
  x.fleet->send(SIGTERM);
  CHECK(x.fleet->result().status == 0);
  CHECK(x.workers("ALIVE").empty());
}

TEST_CASE("a worker of a fleet that is killed is started again") {
  FleetFixture x;
  x.start({"--instances", "2", "--cores", "1", "--memory", "512m"});
  x.await_workers(2);
  auto& run = x.cluster.start_script(
      2, "echo $$ >> " + x.cluster.path("starts") + "; echo here; until [ -e "
             + x.cluster.path("go") + " ]; do sleep 0.05; done");
  REQUIRE(eventually([&] { return lines_of(run.out()).size() == 2; }));
  auto before = x.workers("ALIVE");
  ::kill(pid_of(before[0]), SIGKILL);
  await(*x.fleet, "going on as " + before[0]);
  x.await_workers(2);
  std::ofstream{x.cluster.path("go")};
  CHECK(run.result().status == 0);
  CHECK(lines_of(contents_of(x.cluster.path("starts"))).size() == 2);
}

TEST_CASE("a fleet that leaves is replaced, and its programs go on") {
  FleetFixture x;
  Words words{"--instances", "2", "--cores", "1", "--memory", "512m"};
  x.start(words);
  x.await_workers(2);
  auto& run = x.cluster.start_script(
      2, "echo $$ >> " + x.cluster.path("starts") + "; echo here; until [ -e "
             + x.cluster.path("go") + " ]; do sleep 0.05; done");
  REQUIRE(eventually([&] { return lines_of(run.out()).size() == 2; }));
  auto before = x.workers("ALIVE");
  x.fleet->send(SIGUSR1);
  CHECK(x.fleet->result().status == 0);
  words.insert(words.begin(), {"worker", "--work-dir", x.cluster.path("work")});
  auto& next = x.cluster.stoker(words);
  for (const auto& worker : before)
    await(next, "going on as " + worker);
  std::ofstream{x.cluster.path("go")};
  CHECK(run.result().status == 0);
  CHECK(lines_of(contents_of(x.cluster.path("starts"))).size() == 2);
}

TEST_CASE("a fleet reads certificates again on SIGHUP, and goes on") {
  FleetFixture x;
  make_certificates(x.cluster, "certs", {"localhost", "user"});
  auto node = tls_options(x.cluster, "certs", "localhost");
  x.cluster.start_master(node);
  x.fleet = &x.cluster.stoker(
      joined({"worker", "--work-dir", x.cluster.path("work"), "--instances",
              "2", "--cores", "1", "--memory", "512m"},
             node));
  x.cluster.environment["STOKER_TLS_CERT"] = x.cluster.path("certs/user.pem");
  x.cluster.environment["STOKER_TLS_KEY"]
      = x.cluster.path("certs/user-key.pem");
  x.cluster.environment["STOKER_TLS_CA"] = x.cluster.path("certs/ca.pem");
  x.await_workers(2);
  auto before = x.workers("ALIVE");
  x.fleet->send(SIGHUP);
  await(*x.fleet, "[certificates-reloaded]");
  // It still starts again what is killed.
  ::kill(pid_of(before[0]), SIGKILL);
  await(*x.fleet, "going on as " + before[0]);
  x.await_workers(2);
}

TEST_CASE("a worker of a fleet that is decommissioned leaves alone") {
  FleetFixture x;
  x.start({"--instances", "2", "--cores", "1", "--memory", "512m"});
  x.await_workers(2);
  auto before = x.workers("ALIVE");
  CHECK(x.cluster.run({"decommission", before[0]}).status == 0);
  REQUIRE(eventually([&] { return !lives(pid_of(before[0])); }));
  CHECK(x.fleet->running());
  CHECK(x.workers("ALIVE") == Words{before[1]});
  CHECK(x.cluster.run({"decommission", before[1]}).status == 0);
  CHECK(x.fleet->result().status == 0);
}

TEST_CASE("a fleet that is killed leaves no worker behind") {
  FleetFixture x;
  x.start({"--instances", "2", "--cores", "1", "--memory", "512m"});
  x.await_workers(2);
  auto before = x.workers("ALIVE");
  x.fleet->send(SIGKILL);
  for (const auto& worker : before)
    CHECK(eventually([&] { return !lives(pid_of(worker)); }));
}

TEST_CASE("the tenants file says how many workers a machine has") {
  FleetFixture x;
  auto file = x.cluster.path("tenants.toml");
  std::ofstream{file} << "[workers]\ninstances = 2\ncores = 3\n"
                         "memory = \"768m\"\n[companies.one]\n";
  x.start({"--tenants", file, "--cores", "1"});
  x.await_workers(2);
  auto workers = x.cluster.status().at("workers");
  for (const auto& worker : workers.as_array()) {
    CHECK(worker.at("cores") == 1);
    CHECK(worker.at("memory_mb") == 768);
  }
}

TEST_CASE("a fleet that cannot be says so in one line") {
  Cluster cluster;
  cluster.start_master();
  check_refusal(cluster.run({"worker", "--instances", "0"}), 2,
                "from 1 to 1000");
  check_refusal(cluster.run({"worker", "--instances", "2", "--work-dir",
                             "/proc/no-such"}),
                1, "/proc/no-such");
  check_refusal(cluster.run({"worker", "--tenants", "/no/such/file"}), 2,
                "/no/such/file");
}

TEST_CASE_METHOD(FleetFixture, "a fleet divides a resources file") {
  std::ofstream{cluster.path("resources.json")} << R"([
    {"id": {"componentName": "spark.worker", "resourceName": "gpu"},
     "addresses": ["4", "5"]}])";
  start({"--instances", "2", "--cores", "1", "--memory", "512m", "--conf",
         "spark.worker.resourcesFile=" + cluster.path("resources.json")});
  await_workers(2);
  std::set<std::string> offered;
  auto all = cluster.status().at("workers");
  for (const auto& x : all.as_array())
    offered.insert(boost::json::serialize(x.at("resources")));
  CHECK(offered
        == std::set<std::string>{R"({"gpu":["4"]})", R"({"gpu":["5"]})"});
}

TEST_CASE("a worker refuses a name that no host has") {
  Cluster cluster;
  for (const auto* host : {"<i>host\"x", "", "two words"}) {
    auto result
        = cluster.run({"worker", "stoker://127.0.0.1:1", "--host", host});
    CHECK(result.status == 2);
    CHECK(result.err.find("is no name or address of a host")
          != std::string::npos);
    CHECK(lines_of(result.err).size() == 1);
  }
}

TEST_CASE("a worker refuses the name of a host that Spark refuses") {
  Cluster cluster;
  auto result
      = cluster.run({"worker", "stoker://127.0.0.1:1", "--host", "my_worker"});
  CHECK(result.status == 2);
  CHECK(result.err.find("the host 'my_worker' has a '_'") != std::string::npos);
}
