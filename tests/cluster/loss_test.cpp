// kill -9 of every part of a cluster: what was promised still comes true, and
// nothing is left behind.

#include <signal.h>

#include <algorithm>
#include <ctime>
#include <sstream>

#include "process/process_tree.hpp"
#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;
using stoker::process::read_process;

namespace {

/// Time-outs that do not hold up a test for long. Programs of a lost worker have
/// 4 s more than they need to end before they are started again elsewhere.
const std::vector<std::string> impatient_master{"--conf",
                                                "stoker.reconnect.timeout=6s"};
const std::vector<std::string> impatient_worker{
    "--conf", "stoker.orphan.grace=1s", "--conf", "stoker.kill.grace=1s"};

/// Each start of an instance writes a line "INDEX PID WORKER" to its output;
/// the first one of each stays for ever, later ones end at once.
const std::string stays_at_first
    = "echo $STOKER_INDEX $$ $STOKER_WORKER_ID; "
      "if ! [ -e was-$STOKER_INDEX ]; then "
      "touch was-$STOKER_INDEX; exec sleep 1000; fi";

struct Start {
  int index = -1;
  pid_t pid = 0;
  std::string worker;
};

std::vector<Start> starts_in(const std::string& out) {
  std::vector<Start> result;
  for (const auto& line : lines_of(out)) {
    std::istringstream in{line};
    Start start;
    in >> start.index >> start.pid >> start.worker;
    result.push_back(start);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](auto& a, auto& b) { return a.index < b.index; });
  return result;
}

/// Waits until a run shows so many starts.
std::vector<Start> await_starts(Process& run, std::size_t count) {
  REQUIRE(eventually([&] { return starts_in(run.out()).size() >= count; }));
  return starts_in(run.out());
}

/// A master without a memory numbers applications from 1 again; only the second
/// in their ids sets them apart.
void await_next_second() {
  auto now = std::time(nullptr);
  REQUIRE(eventually([&] { return std::time(nullptr) > now; }));
}

} // namespace

TEST_CASE("an instance whose command is killed is started again") {
  Cluster cluster;
  cluster.start_local({"--workers", "2", "--cores", "2", "--memory", "1g"});
  auto& run = cluster.start_script(2, stays_at_first);
  for (const auto& start : await_starts(run, 2))
    ::kill(start.pid, SIGKILL);
  auto result = run.result();
  CHECK(result.status == 0);
  auto starts = starts_in(result.out);
  REQUIRE(starts.size() == 4);
  CHECK(starts[0].index == 0);
  CHECK(starts[1].index == 0);
  CHECK(starts[2].index == 1);
  CHECK(starts[3].index == 1);
}

TEST_CASE("an instance whose supervisor or guard is killed is started again") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "2", "--memory", "1g"});
  auto& run = cluster.start_script(1, stays_at_first);
  auto program = await_starts(run, 1).at(0).pid;
  auto supervisor = read_process(program)->parent;
  auto guard = read_process(supervisor)->parent;
  SECTION("supervisor") {
    ::kill(supervisor, SIGKILL);
  }
  SECTION("guard") {
    ::kill(guard, SIGKILL);
  }
  SECTION("both") {
    ::kill(guard, SIGKILL);
    ::kill(supervisor, SIGKILL);
  }
  auto result = run.result();
  CHECK(result.status == 0);
  CHECK(starts_in(result.out).size() == 2);
  CHECK(eventually([&] { return !lives(program); }));
}

TEST_CASE("the instances of a killed worker run again on another one") {
  Cluster cluster;
  cluster.start_master(impatient_master);
  auto first = cluster.start_worker(impatient_worker);
  auto second = cluster.start_worker(impatient_worker);
  auto& run = cluster.start_script(2, stays_at_first);
  auto starts = await_starts(run, 2);
  // Spread out: one on each.
  REQUIRE(starts[0].worker != starts[1].worker);
  auto& lost = starts[0].worker == first.id ? first : second;
  auto& left = starts[0].worker == first.id ? second : first;
  lost.process->send(SIGKILL);
  // Its programs end although nobody is there to tell them.
  CHECK(eventually([&] { return !lives(starts[0].pid); }));
  CHECK(lives(starts[1].pid));
  ::kill(starts[1].pid, SIGKILL);
  auto result = run.result();
  CHECK(result.status == 0);
  starts = starts_in(result.out);
  REQUIRE(starts.size() == 4);
  CHECK(starts[1].worker == left.id);
  auto workers = cluster.status().at("workers").as_array();
  for (const auto& x : workers)
    CHECK(text_of(x, "state")
          == (text_of(x, "id") == left.id ? "ALIVE" : "DEAD"));
}

TEST_CASE("an instance of a killed worker never runs twice at a time") {
  Cluster cluster;
  cluster.start_master(impatient_master);
  auto first = cluster.start_worker(impatient_worker);
  // Holds a lock as long as it lives; a second one at a time would tell.
  auto& run = cluster.start_script(
      1,
      "exec 9> lock; flock -n 9 || { echo twice; exit 3; }; " + stays_at_first);
  await_starts(run, 1);
  cluster.start_worker(impatient_worker);
  first.process->send(SIGKILL);
  auto result = run.result();
  CHECK(result.status == 0);
  CHECK(starts_in(result.out).size() == 2);
}

TEST_CASE("a run whose master is killed looks for it, then ends with 69") {
  Cluster cluster;
  auto& master = cluster.start_master();
  auto worker = cluster.start_worker();
  auto& run
      = cluster.start_script(1, stays_at_first, {"--master-timeout", "8s"});
  auto program = await_starts(run, 1).at(0).pid;
  master.send(SIGKILL);
  auto result = run.result();
  CHECK(result.status == 69);
  CHECK(result.err.find("the connection to the master broke")
        != std::string::npos);
  CHECK(result.err.find("no master") != std::string::npos);
  // The worker keeps what it runs, for a master that may come.
  CHECK(lives(program));
  worker.process->send(SIGTERM);
  CHECK(worker.process->result().status == 0);
  CHECK(cluster.processes().empty());
}

TEST_CASE("a worker without a master ends with 69 when it has looked enough") {
  Cluster cluster;
  auto& master = cluster.start_master();
  auto worker = cluster.start_worker({"--master-timeout", "8s"});
  auto& run = cluster.start_script(1, stays_at_first);
  await_starts(run, 1);
  master.send(SIGKILL);
  auto result = worker.process->result();
  CHECK(result.status == 69);
  CHECK(result.err.find("no master") != std::string::npos);
  run.send(SIGTERM);
  CHECK(run.result().status == 130);
  CHECK(eventually([&] { return cluster.processes().empty(); }));
}

TEST_CASE("a worker comes back to a master that remembers nothing") {
  Cluster cluster;
  const std::vector<std::string> none{"--conf",
                                      "spark.deploy.recoveryMode=NONE"};
  auto& master = cluster.start_master(none);
  auto worker = cluster.start_worker();
  auto& run = cluster.start_script(1, stays_at_first);
  auto program = await_starts(run, 1).at(0).pid;
  master.send(SIGKILL);
  master.result();
  await_next_second();
  cluster.start_master(none);
  REQUIRE(eventually([&] {
    return values_of(cluster.status().at("workers"), "id")
           == std::vector<std::string>{worker.id};
  }));
  // The new master does not know the application: nobody would take what comes
  // of it.
  CHECK(eventually([&] { return !lives(program); }));
  CHECK(run.result().status == 1);
  CHECK(cluster.run({"run", "--", "echo", "again"}).out == "again\n");
}

TEST_CASE("the instances of a killed run are ended") {
  Cluster cluster;
  cluster.start_master(impatient_master);
  cluster.start_worker();
  auto& run = cluster.start_script(2, stays_at_first);
  auto starts = await_starts(run, 2);
  run.send(SIGKILL);
  CHECK(eventually(
      [&] { return !lives(starts[0].pid) && !lives(starts[1].pid); }));
  CHECK(eventually([&] {
    return values_of(cluster.status().at("workers"), "cores_used")
           == std::vector<std::string>{"0"};
  }));
  auto apps = cluster.status().at("completed_apps");
  CHECK(values_of(apps, "state") == std::vector<std::string>{"KILLED"});
}

TEST_CASE("nothing is left of a local cluster that is killed as a whole") {
  Cluster cluster;
  auto& local
      = cluster.start_local({"--workers", "2", "--cores", "1", "--memory", "1g",
                             "--conf", "stoker.orphan.grace=1s"});
  // One leaves a process behind that nobody would find by its parents.
  auto& run = cluster.start_script(
      2, "setsid sh -c 'sleep 1000 & sleep 1000' & " + stays_at_first,
      {"--master-timeout", "8s"});
  await_starts(run, 2);
  local.send(SIGKILL);
  CHECK(run.result().status == 69);
  CHECK(eventually([&] { return cluster.processes().empty(); }));
}

TEST_CASE("what an instance leaves running ends with it") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  auto result = cluster.run_script(
      1, "setsid sh -c 'sleep 1000 & sleep 1000' & sleep 1000 & echo started");
  CHECK(result.status == 0);
  CHECK(result.out == "started\n");
  for (const auto& [pid, description] : cluster.processes())
    CHECK(description != "sleep 1000");
}

TEST_CASE("a worker whose connection stalls is lost, and comes back") {
  Cluster cluster;
  const std::vector<std::string> timeout{"--conf", "spark.worker.timeout=6s"};
  cluster.start_master(timeout);
  auto worker = cluster.start_worker(timeout);
  worker.process->send(SIGSTOP);
  REQUIRE(eventually([&] {
    return values_of(cluster.status().at("workers"), "state")
           == std::vector<std::string>{"DEAD"};
  }));
  worker.process->send(SIGCONT);
  CHECK(eventually([&] {
    return values_of(cluster.status().at("workers"), "state")
           == std::vector<std::string>{"ALIVE"};
  }));
  CHECK(cluster.run({"run", "--", "echo", "again"}).out == "again\n");
}
