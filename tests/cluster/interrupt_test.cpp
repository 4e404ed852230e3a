// Ctrl-C and SIGTERM: everything ends in good order.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace {

const std::vector<std::string> two_workers{"--workers", "2",        "--cores",
                                           "2",         "--memory", "1g"};

/// Programs without a worker would live on for longer than any test waits.
const std::vector<std::string> two_workers_that_end_their_programs = [] {
  auto result = two_workers;
  result.insert(result.end(), {"--conf", "stoker.orphan.grace=1h", "--conf",
                               "stoker.reconnect.timeout=2h"});
  return result;
}();

/// Starts instances that run until they are ended, and waits until they do.
Process& start_sleepers(Cluster& cluster, int n) {
  auto& run = cluster.start_script(n, "echo started; exec sleep 1000");
  REQUIRE(eventually([&] {
    return lines_of(run.out()).size() == static_cast<std::size_t>(n);
  }));
  return run;
}

/// How many `sleep 1000` of the sandbox live.
std::size_t count_sleepers(const Cluster& cluster) {
  std::size_t result = 0;
  for (const auto& [pid, description] : cluster.processes())
    if (description == "sleep 1000")
      ++result;
  return result;
}

/// The processes that a process has started, or taken over, and not reaped.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> result;
  for (const auto& thread : std::filesystem::directory_iterator{
           "/proc/" + std::to_string(parent) + "/task"}) {
    std::istringstream in{contents_of(thread.path() / "children")};
    result.insert(result.end(), std::istream_iterator<pid_t>{in}, {});
  }
  return result;
}

/// Whether none waits for the process to take it.
bool has_taken_signals(const Process& process) {
  auto status
      = contents_of("/proc/" + std::to_string(process.pid()) + "/status");
  auto pending = status.find("ShdPnd:");
  return pending == std::string::npos
         || status.find("ShdPnd:\t0000000000000000") == pending;
}

} // namespace

TEST_CASE("Ctrl-C ends a run and its instances") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto& run = start_sleepers(cluster, 3);
  auto signal = GENERATE(SIGINT, SIGTERM);
  run.send_to_group(signal);
  auto result = run.result();
  CHECK(result.status == 130);
  CHECK(eventually([&] { return count_sleepers(cluster) == 0; }));
  CHECK(eventually([&] {
    return values_of(cluster.status().at("workers"), "cores_used")
           == std::vector<std::string>{"0", "0"};
  }));
  auto apps = cluster.status().at("completed_apps").as_array();
  REQUIRE(apps.size() == 1);
  CHECK(text_of(apps[0], "state") == "KILLED");
  CHECK(text_of(apps[0], "message") == "interrupted by its user");
}

TEST_CASE("the last event of a run is what it ends with") {
  Cluster cluster;
  auto& local
      = cluster.start_local({"--workers", "2", "--cores", "1", "--memory", "1g",
                             "--conf", "stoker.orphan.grace=1s"});
  std::vector<std::string> options{"--json", "--master-timeout", "8s"};
  if (GENERATE(false, true))
    options.push_back("--barrier");
  auto& run = cluster.start_script(2, "exec sleep 1000", options);
  REQUIRE(eventually([&] { return count_sleepers(cluster) == 2; }));
  int status = 0;
  std::string why;
  SECTION("when it is interrupted") {
    run.send(SIGINT);
    status = 130;
    why = "it was interrupted";
  }
  SECTION("when its master is lost") {
    local.send(SIGKILL);
    status = 69;
    why = "no master: ";
  }
  auto result = run.result();
  CHECK(result.status == status);
  auto last = boost::json::parse(lines_of(result.out).back());
  CHECK(text_of(last, "event") == "ended");
  CHECK(last.at("exit_status") == status);
  CHECK(text_of(last, "error").find(why) != std::string::npos);
  CHECK(eventually([&] { return count_sleepers(cluster) == 0; }));
}

TEST_CASE("Ctrl-C ends a run that still waits for resources") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  start_sleepers(cluster, 1);
  auto& waiting = cluster.start_script(1, "true");
  REQUIRE(eventually([&] {
    return cluster.status().at("active_apps").as_array().size() == 2;
  }));
  waiting.send(SIGINT);
  CHECK(waiting.result().status == 130);
  CHECK(cluster.status().at("active_apps").as_array().size() == 1);
}

TEST_CASE("a signal that comes twice at once ends a run in good order") {
  // As timeout(1) sends it: to the process, and to its group.
  Cluster cluster;
  cluster.start_local(two_workers);
  auto& run = start_sleepers(cluster, 2);
  run.send(SIGINT);
  REQUIRE(eventually([&] { return has_taken_signals(run); }));
  run.send(SIGINT);
  CHECK(run.result().status == 130);
  auto apps = cluster.status().at("completed_apps").as_array();
  REQUIRE(apps.size() == 1);
  CHECK(text_of(apps[0], "message") == "interrupted by its user");
}

TEST_CASE("a later Ctrl-C ends a run whose master does not answer") {
  Cluster cluster;
  auto& local = cluster.start_local(two_workers);
  auto& run = start_sleepers(cluster, 1);
  local.send(SIGSTOP);
  auto begin = std::chrono::steady_clock::now();
  CHECK(eventually([&] {
    run.send(SIGINT);
    return !run.running();
  }));
  // Without it the run would have asked for 15 s.
  CHECK(std::chrono::steady_clock::now() < begin + std::chrono::seconds{10});
  CHECK(run.result().status == 130);
  local.send(SIGCONT);
}

TEST_CASE("Ctrl-C ends a run that looks for its master") {
  Cluster cluster;
  auto& run = cluster.start_script(1, "true", {"--master-timeout", "10min"});
  // Nothing else is to be seen from outside while it tries.
  REQUIRE(eventually([&] { return run.handles(SIGINT); }));
  run.send(SIGINT);
  auto result = run.result();
  CHECK(result.status == 130);
  // No master has ever heard of it.
  CHECK(result.err.find("what runs") == std::string::npos);
}

TEST_CASE("an instance may tidy up when it is ended, but not for ever") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "2", "--memory", "1g",
                       "--conf", "stoker.kill.grace=1s"});
  auto& polite = cluster.start_script(
      1, "trap 'echo tidied > tidied; exit 0' TERM; echo started; "
         "while :; do sleep 0.05; done");
  auto& stubborn = cluster.start_script(
      1, "trap '' TERM; echo started; while :; do sleep 0.05; done");
  REQUIRE(eventually([&] {
    return polite.out() == "started\n" && stubborn.out() == "started\n";
  }));
  polite.send(SIGINT);
  stubborn.send(SIGINT);
  CHECK(polite.result().status == 130);
  CHECK(stubborn.result().status == 130);
  CHECK(eventually(
      [&] { return contents_of(cluster.path("tidied")) == "tidied\n"; }));
  CHECK(eventually([&] {
    return values_of(cluster.status().at("workers"), "cores_used")
           == std::vector<std::string>{"0"};
  }));
}

TEST_CASE("Ctrl-C ends a local cluster and all that it runs") {
  Cluster cluster;
  auto& local = cluster.start_local(two_workers_that_end_their_programs);
  auto& run = start_sleepers(cluster, 2);
  auto driver = cluster.run({"submit", "--", "sleep", "1000"});
  REQUIRE(driver.status == 0);
  REQUIRE(eventually([&] { return count_sleepers(cluster) == 3; }));
  local.send_to_group(SIGINT);
  auto result = local.result();
  CHECK(result.status == 0);
  CHECK(eventually([&] { return count_sleepers(cluster) == 0; }));
  CHECK(result.err.empty());
  run.send(SIGINT);
  CHECK(run.result().status == 130);
}

TEST_CASE("Ctrl-C ends a local cluster's command, then the cluster") {
  Cluster cluster;
  auto& local = cluster.stoker(
      {"local", "--port", "0", "--data", cluster.path("data"), "--conf",
       "stoker.orphan.grace=1h", "--conf", "stoker.reconnect.timeout=2h", "--",
       STOKER_PROGRAM, "run", "--", "sh", "-c", "echo started; sleep 1000"});
  REQUIRE(eventually([&] { return local.out() == "started\n"; }));
  // As a terminal does it, both get the signal; as an init system does it, only
  // the cluster.
  SECTION("from a terminal") {
    local.send_to_group(SIGINT);
  }
  SECTION("from elsewhere") {
    local.send(SIGTERM);
  }
  CHECK(local.result().status == 130);
  CHECK(eventually([&] { return cluster.processes().empty(); }));
}

TEST_CASE("a worker that is told to stop ends its programs, and they move") {
  Cluster cluster;
  cluster.start_master();
  auto first = cluster.start_worker();
  auto& run = cluster.start_script(2, "echo $STOKER_INDEX $STOKER_WORKER_ID; "
                                      "until [ -e go ]; do sleep 0.05; done");
  REQUIRE(eventually([&] { return lines_of(run.out()).size() == 2; }));
  auto second = cluster.start_worker();
  first.process->send_to_group(SIGINT);
  CHECK(first.process->result().status == 0);
  REQUIRE(eventually([&] { return lines_of(run.out()).size() == 4; }));
  std::ofstream{cluster.path("go")};
  auto result = run.result();
  CHECK(result.status == 0);
  auto lines = lines_of(result.out);
  std::sort(lines.begin(), lines.end());
  CHECK(lines
        == std::vector<std::string>{"0 " + first.id, "0 " + second.id,
                                    "1 " + first.id, "1 " + second.id});
}

TEST_CASE("drivers of a worker that is told to stop are lost, or start again") {
  Cluster cluster;
  cluster.start_master();
  auto first = cluster.start_worker();
  auto submit = [&](std::vector<std::string> options) {
    std::vector<std::string> words{"submit"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "sleep", "1000"});
    auto result = cluster.run(words);
    REQUIRE(result.status == 0);
    return result.out.substr(0, result.out.find('\n'));
  };
  auto plain = submit({});
  auto supervised = submit({"--supervise"});
  REQUIRE(eventually([&] { return count_sleepers(cluster) == 2; }));
  auto second = cluster.start_worker();
  first.process->send(SIGTERM);
  CHECK(first.process->result().status == 0);
  std::map<std::string, std::string> ends;
  REQUIRE(eventually([&] {
    auto status = cluster.status();
    for (const auto& x : status.at("completed_drivers").as_array())
      ends[text_of(x, "id")] = text_of(x, "state");
    return ends.size() == 2;
  }));
  CHECK(ends[plain] == "ERROR");
  CHECK(ends[supervised] == "RELAUNCHING");
  CHECK(eventually([&] {
    auto running = cluster.status().at("active_drivers").as_array();
    return running.size() == 1
           && text_of(running.at(0), "worker_id") == second.id;
  }));
  CHECK(eventually([&] { return count_sleepers(cluster) == 1; }));
}

TEST_CASE("a master that is told to stop ends at once; a worker can follow") {
  Cluster cluster;
  auto& master = cluster.start_master();
  auto worker = cluster.start_worker();
  auto signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  master.send_to_group(signal);
  CHECK(master.result().status == 0);
  worker.process->send_to_group(signal);
  CHECK(worker.process->result().status == 0);
}

TEST_CASE("a cluster that is a container's first process leaves no processes "
          "when it is terminated") {
  if (::geteuid() != 0) {
    skip("only root can make a namespace of processes");
    return;
  }
  Cluster cluster;
  std::vector<std::string> words{"unshare",
                                 "--pid",
                                 "--fork",
                                 "--mount-proc",
                                 "--kill-child",
                                 STOKER_PROGRAM,
                                 "local",
                                 "--port",
                                 std::to_string(cluster.port()),
                                 "--data",
                                 cluster.path("data")};
  words.insert(words.end(), two_workers.begin(), two_workers.end());
  auto& container = cluster.start(words);
  REQUIRE(eventually(
      [&] { return container.out().find("ready at") != std::string::npos; }));
  auto children = children_of(container.pid());
  REQUIRE(children.size() == 1);
  auto first = children.front();
  auto own = children_of(first);
  // Some lose their parents, and one its supervisor.
  auto orphans = "setsid sh -c 'sleep 0.1 & exec sleep 0.2' & echo done";
  CHECK(cluster.run_script(2, orphans).status == 0);
  CHECK(cluster.run_script(1, "sleep 1000 & kill -9 $PPID").status != 0);
  CHECK(eventually([&] {
    return count_sleepers(cluster) == 0 && children_of(first) == own;
  }));
  start_sleepers(cluster, 2);
  REQUIRE(::kill(first, SIGTERM) == 0);
  CHECK(container.result().status == 0);
  CHECK(eventually([&] { return count_sleepers(cluster) == 0; }));
}
