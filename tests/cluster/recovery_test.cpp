// Masters that die and come back, or are replaced: nothing that was
// acknowledged is lost, and no program is disturbed.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker::test;

namespace {

/// Each start of an instance adds a line with its pid to a file named after its
/// index; it ends well once a file `go` is there.
std::string waits_for(const Cluster& cluster) {
  return "echo $$ >> " + cluster.path("starts-")
         + "$STOKER_INDEX; echo here; "
           "while ! [ -e "
         + cluster.path("go") + " ]; do sleep 0.05; done";
}

void let_go(const Cluster& cluster) {
  std::ofstream{cluster.path("go")};
}

std::vector<std::string> starts_of(const Cluster& cluster, int index) {
  return lines_of(contents_of(cluster.path("starts-" + std::to_string(index))));
}

void await_starts(const Cluster& cluster, int instances) {
  REQUIRE(eventually([&] {
    for (int i = 0; i < instances; ++i)
      if (starts_of(cluster, i).empty())
        return false;
    return true;
  }));
}

/// What has arrived over connections to a local port and was not read yet.
std::uint64_t unread_bytes(std::uint16_t port) {
  std::uint64_t result = 0;
  std::istringstream lines{contents_of("/proc/net/tcp")};
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words{line};
    std::string number;
    std::string local;
    std::string remote;
    std::string state;
    std::string queues;
    words >> number >> local >> remote >> state >> queues;
    if (state == "01" && std::stoul(local.substr(9), nullptr, 16) == port)
      result += std::stoull(queues.substr(9), nullptr, 16);
  }
  return result;
}

/// Two masters on one data directory; commands know both.
struct Pair {
  Cluster cluster;
  Process* first = nullptr;
  Process* second = nullptr;

  explicit Pair(const std::vector<std::string>& words = {}) {
    auto port = cluster.reserve_port();
    cluster.environment["STOKER_MASTER"]
        += ",127.0.0.1:" + std::to_string(port);
    first = &cluster.start_master(words);
    std::vector<std::string> all{"master", "--port", std::to_string(port),
                                 "--data", cluster.path("data")};
    all.insert(all.end(), words.begin(), words.end());
    second = &cluster.stoker(all);
    await(*second, "STANDBY");
  }
};

} // namespace

TEST_CASE("a master that is killed and started again disturbs no program") {
  Cluster cluster;
  auto& master = cluster.start_master();
  cluster.start_worker();
  auto& run = cluster.start_script(2, waits_for(cluster));
  await_starts(cluster, 2);
  auto submitted = cluster.run(
      {"submit", "--name", "waits", "--cores", "2", "--", "true"});
  REQUIRE(submitted.status == 0);
  master.send(SIGKILL);
  master.result();
  auto& again = cluster.start_master();
  await(again, "RECOVERING at");
  // The application is there, under its own name, with both executors.
  CHECK(eventually([&] {
    auto status = cluster.status();
    const auto& apps = status.at("active_apps").as_array();
    return apps.size() == 1 && apps.at(0).at("executors").as_array().size() == 2
           && status.at("active_drivers").as_array().size() == 1;
  }));
  let_go(cluster);
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(starts_of(cluster, 0).size() == 1);
  CHECK(starts_of(cluster, 1).size() == 1);
  // The driver that waited has its turn now.
  CHECK(eventually([&] {
    auto drivers = cluster.status().at("completed_drivers").as_array();
    return drivers.size() == 1 && text_of(drivers.at(0), "state") == "FINISHED";
  }));
}

TEST_CASE("a run that has given up its master is not executed later") {
  Cluster cluster;
  std::vector<std::string> words{"--workers", "1",        "--cores",
                                 "2",         "--memory", "1g"};
  auto& first = cluster.start_local(words);
  auto starts = cluster.path("starts");
  auto& run
      = cluster.start_script(1, "echo x >> " + starts + "; exec sleep 1000",
                             {"--master-timeout", "0s"});
  REQUIRE(eventually([&] { return !contents_of(starts).empty(); }));
  first.send(SIGTERM);
  CHECK(run.result().status == 69);
  first.result();
  for (const auto* setting :
       {"stoker.reconnect.timeout=3s", "stoker.orphan.grace=1s"})
    words.insert(words.end(), {"--conf", setting});
  cluster.start_local(words);
  REQUIRE(eventually(
      [&] { return cluster.status().at("active_apps").as_array().empty(); }));
  CHECK(lines_of(contents_of(starts)).size() == 1);
}

TEST_CASE("instances that end while there is no master have ended well") {
  Cluster cluster;
  auto& master = cluster.start_master();
  cluster.start_worker();
  auto& run = cluster.start_script(2, waits_for(cluster));
  await_starts(cluster, 2);
  master.send(SIGKILL);
  master.result();
  std::vector<pid_t> pids;
  for (int i = 0; i < 2; ++i)
    pids.push_back(std::stoi(starts_of(cluster, i).at(0)));
  let_go(cluster);
  REQUIRE(eventually(
      [&] { return std::none_of(pids.begin(), pids.end(), lives); }));
  cluster.start_master();
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(starts_of(cluster, 0).size() == 1);
  CHECK(starts_of(cluster, 1).size() == 1);
}

TEST_CASE("a standby master takes over when the leader is killed") {
  Pair masters;
  auto& cluster = masters.cluster;
  cluster.start_worker();
  auto& run = cluster.start_script(2, waits_for(cluster));
  await_starts(cluster, 2);
  masters.first->send(SIGKILL);
  masters.first->result();
  await(*masters.second, "ALIVE at");
  // Commands find the one that leads.
  auto status = cluster.status();
  CHECK(text_of(status, "status") != "STANDBY");
  let_go(cluster);
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(starts_of(cluster, 0).size() == 1);
  CHECK(starts_of(cluster, 1).size() == 1);
  // And new work is done.
  CHECK(cluster.run_script(1, "true").status == 0);
}

TEST_CASE("a command goes on to the leader when the first one it asks stands "
          "by") {
  Pair masters;
  auto& cluster = masters.cluster;
  cluster.start_worker();
  auto& known = cluster.environment["STOKER_MASTER"];
  const std::string scheme = "stoker://";
  auto comma = known.find(',');
  known = scheme + known.substr(comma + 1) + ','
          + known.substr(scheme.size(), comma - scheme.size());
  auto status = cluster.status();
  CHECK(text_of(status, "status") == "ALIVE");
  CHECK(status.at("workers").as_array().size() == 1);
}

// Two masters that both believe that they lead: the lock of the first is taken
// away behind its back, as on a disk that is shared and does not lock.
TEST_CASE("what is asked while a standby takes over its new leader answers") {
  Pair masters;
  auto& cluster = masters.cluster;
  auto submitted
      = cluster.run({"submit", "--wait", "--cores", "9", "--", "true"});
  REQUIRE(submitted.status == 0);
  auto id = submitted.out.substr(0, submitted.out.find('\n'));
  masters.first->send(SIGKILL);
  masters.first->result();
  auto shown = cluster.run({"status", id});
  INFO(shown.err);
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, id));
  CHECK(text_of(cluster.status(), "status") != "STANDBY");
}

TEST_CASE("a standby does not say that something is not known") {
  Pair masters;
  auto& all = masters.cluster.environment["STOKER_MASTER"];
  all = "stoker://" + all.substr(all.rfind(',') + 1);
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"status", "app-20260101000000-0001"},
           {"logs", "app-20260101000000-0001"},
           {"kill", "app-20260101000000-0001/0"}}) {
    auto asked = words;
    asked.insert(asked.end(), {"--master-timeout", "300ms"});
    auto result = masters.cluster.run(asked);
    INFO(words.front() << ": " << result.err);
    CHECK(result.status == 69);
    CHECK(contains(result.err, "the master is STANDBY"));
  }
  CHECK(text_of(masters.cluster.status(), "status") == "STANDBY");
}

TEST_CASE("run and job tell why no master leads when the only master is in "
          "STANDBY, as submit does") {
  Cluster cluster;
  auto& master = cluster.start_master();
  // It cannot get its lock back.
  std::filesystem::permissions(cluster.path("data"),
                               std::filesystem::perms::all);
  std::filesystem::remove(cluster.path("data/lock"));
  await(master, "[standby] STANDBY: others may write");
  cluster.environment["STOKER_MASTER_TIMEOUT"] = "300ms";
  auto why = lines_of(cluster.run({"submit", "--", "true"}).err).back();
  INFO(why);
  CHECK(contains(why, "(others may write in the data directory"));
  why = why.substr(why.find(": ") + 2);
  std::ofstream{cluster.path("input")} << "line\n";
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"run", "--", "true"},
           {"run", "--barrier", "--", "true"},
           {"job", "--input", cluster.path("input"), "--map", "cat"}}) {
    auto result = cluster.run(words);
    CHECK(result.status == 69);
    CHECK(lines_of(result.err)
          == std::vector<std::string>{"stoker: " + why + "; trying again",
                                      "stoker: no master: " + why});
  }
}

TEST_CASE("a leader without its lock becomes a standby, and does not end") {
  Pair masters;
  auto& cluster = masters.cluster;
  cluster.start_worker();
  auto& run = cluster.start_script(1, waits_for(cluster));
  await_starts(cluster, 1);
  std::filesystem::remove(cluster.path("data/lock"));
  await(*masters.second, "ALIVE at");
  await(*masters.first, "STANDBY");
  CHECK(masters.first->running());
  let_go(cluster);
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(starts_of(cluster, 0).size() == 1);
  // It takes over in its turn.
  masters.second->send(SIGKILL);
  masters.second->result();
  CHECK(cluster.run_script(1, "true").status == 0);
}

// The first one is stopped while its lock is taken away: when it goes on, it
// does not know yet that it leads no more. What it would commit is refused.
TEST_CASE("a leader that was replaced while it slept changes nothing") {
  Pair masters;
  auto& cluster = masters.cluster;
  cluster.start_worker();
  masters.first->send(SIGSTOP);
  std::filesystem::remove(cluster.path("data/lock"));
  await(*masters.second, "ALIVE at");
  masters.first->send(SIGCONT);
  // Whichever is asked: what is acknowledged is known to the one that leads.
  auto submitted = cluster.run({"submit", "--name", "late", "--", "true"});
  REQUIRE(submitted.status == 0);
  await(*masters.first, "STANDBY");
  auto status = cluster.status();
  CHECK(status.at("active_drivers").as_array().size()
            + status.at("completed_drivers").as_array().size()
        == 1);
}

TEST_CASE(
    "a master that was stopped for longer than its time-out loses nobody") {
  Cluster cluster;
  const std::vector<std::string> timeout{"--conf", "spark.worker.timeout=2s"};
  auto& master = cluster.start_master(timeout);
  cluster.start_worker(timeout);
  auto& run = cluster.start_script(1, waits_for(cluster));
  await_starts(cluster, 1);
  master.send(SIGSTOP);
  // Heartbeats come every half second. Two of what comes may be the run's.
  auto arrived = 0;
  auto before = unread_bytes(cluster.port());
  REQUIRE(eventually([&] {
    auto now = unread_bytes(cluster.port());
    arrived += now > before ? 1 : 0;
    before = now;
    return arrived >= 10;
  }));
  master.send(SIGCONT);
  // What is asked now comes after whatever the master did when it went on.
  CHECK(cluster.run({"run", "--", "echo", "on"}).out == "on\n");
  let_go(cluster);
  CHECK(run.result().status == 0);
  CHECK(starts_of(cluster, 0).size() == 1);
}

TEST_CASE("one loss of the master is told once by each that looks for it") {
  Cluster cluster;
  auto& master = cluster.start_master();
  auto worker = cluster.start_worker();
  auto& run = cluster.start_script(1, waits_for(cluster));
  await_starts(cluster, 1);
  master.send(SIGTERM);
  CHECK(master.result().status == 0);
  await(run, "trying again");
  await(cluster.start_master(), "ALIVE at");
  let_go(cluster);
  auto result = run.result();
  CHECK(result.status == 0);
  auto count = [](const std::string& text, const std::string& words) {
    int found = 0;
    for (const auto& line : lines_of(text))
      found += line.find(words) != std::string::npos;
    return found;
  };
  CHECK(count(result.err, "the master is looked for") == 1);
  CHECK(count(result.err, "trying again") == 1);
  CHECK(count(worker.process->err(), "[master-disconnected]") == 1);
}

TEST_CASE("a mode of recovery that is not known is refused") {
  Cluster cluster;
  for (const auto* command : {"master", "local"})
    for (const auto* mode : {"ZOOKEEPER", "BLACKHOLE"}) {
      auto result
          = cluster.run({command, "--data", cluster.path("data"), "--conf",
                         std::string{"spark.deploy.recoveryMode="} + mode});
      check_refusal(result, 2, "which is not one of SQLITE, NONE");
    }
  CHECK_FALSE(std::filesystem::exists(cluster.path("data")));
}

TEST_CASE("without a store nothing is remembered, and nobody stands by") {
  Cluster cluster;
  const std::vector<std::string> none{"--conf",
                                      "spark.deploy.recoveryMode=NONE"};
  auto& master = cluster.start_master(none);
  REQUIRE(cluster.run({"submit", "--", "true"}).status == 0);
  auto second = cluster.run({"master", "--port", "0", "--data",
                             cluster.path("data"), none[0], none[1]});
  check_refusal(second, 1, "another master has it");
  master.send(SIGKILL);
  master.result();
  cluster.start_master(none);
  CHECK(cluster.status().at("active_drivers").as_array().empty());
  CHECK_FALSE(std::filesystem::exists(cluster.path("data/stoker.db")));
}

TEST_CASE("a store that cannot be read is refused, and left as it is") {
  Cluster cluster;
  std::filesystem::create_directory(cluster.path("data"));
  const std::string garbage = "this is no database, but somebody's letter\n";
  std::ofstream{cluster.path("data/stoker.db")} << garbage;
  auto result
      = cluster.run({"master", "--port", "0", "--data", cluster.path("data")});
  check_refusal(result, 1, "stoker.db");
  CHECK(contents_of(cluster.path("data/stoker.db")) == garbage);
}

TEST_CASE("a master whose disk is full says so, forgets nothing, and goes on "
          "when there is room") {
  Cluster cluster;
  cluster.prefix = {"prlimit", "--fsize=400000:unlimited"};
  auto& master = cluster.start_master();
  cluster.prefix.clear();
  // Submissions until one is not acknowledged.
  std::vector<std::string> acknowledged;
  Result last;
  do {
    last = cluster.run({"submit", "--master-timeout", "10s", "--env",
                        "FILL=" + std::string(20'000, 'x'), "--", "true"});
    if (last.status == 0)
      acknowledged.push_back(last.out.substr(0, last.out.find('\n')));
  } while (last.status == 0 && acknowledged.size() < 200);
  CHECK(last.status != 0);
  CHECK_FALSE(acknowledged.empty());
  await(master, "STANDBY");
  CHECK(master.running());
  // Somebody makes room.
  auto raised = cluster
                    .start({"prlimit", "--fsize=unlimited", "--pid",
                            std::to_string(master.pid())})
                    .result();
  REQUIRE(raised.status == 0);
  REQUIRE(cluster.run({"submit", "--", "true"}).status == 0);
  auto drivers = values_of(cluster.status().at("active_drivers"), "id");
  for (const auto& id : acknowledged)
    CHECK(std::count(drivers.begin(), drivers.end(), id) == 1);
}
