// kill -9 of a worker that is started again: what it ran goes on, its ends
// arrive, and nothing runs twice.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// Each start adds a line to `starts`. Runs until there is a file `go`, writes
/// on meanwhile, and exits with `status`.
std::string until_go(int status = 0) {
  return "echo $$ >> starts; echo $STOKER_WORKER_ID >> workers; "
         "until [ -e go ]; do echo x >> growing; sleep 0.05; done; echo done; "
         "exit "
         + std::to_string(status);
}

/// Programs find their end when they are alone for longer than a second.
const std::vector<std::string> short_grace{"--conf", "stoker.orphan.grace=1s",
                                           "--conf", "stoker.kill.grace=1s"};
const std::vector<std::string> impatient_master{"--conf",
                                                "stoker.reconnect.timeout=3s"};

struct RestartCluster : Cluster {
  /// Starts a worker in the work directory `work` and waits until it has
  /// registered.
  Process& start_in_work(const std::vector<std::string>& options = {},
                         const std::string& cores = "2") {
    std::vector<std::string> words{
        "worker",     environment.at("STOKER_MASTER"),
        "--cores",    cores,
        "--memory",   "1g",
        "--work-dir", path("work")};
    words.insert(words.end(), options.begin(), options.end());
    auto& result = stoker(words);
    REQUIRE(eventually([&] {
      return !result.running()
             || result.err().find("registered with") != std::string::npos;
    }));
    REQUIRE(result.running());
    return result;
  }

  /// Ends a worker as a service manager does that starts it again.
  static void leave(Process& process) {
    process.send(SIGUSR1);
    CHECK(process.result().status == 0);
  }

  static void kill(Process& process) {
    process.send(SIGKILL);
    process.result();
  }

  [[nodiscard]] std::vector<std::string> lines(const std::string& name) const {
    return lines_of(contents_of(path(name)));
  }

  /// Waits for so many starts, and returns their processes.
  std::vector<pid_t> starts(std::size_t n) {
    REQUIRE(eventually([&] { return lines("starts").size() >= n; }));
    std::vector<pid_t> result;
    for (const auto& x : lines("starts"))
      result.push_back(std::stoi(x));
    return result;
  }

  void go() const {
    std::ofstream{path("go")};
  }

  std::vector<std::string> alive() {
    std::vector<std::string> result;
    auto all = status();
    for (const auto& x : all.at("workers").as_array())
      if (text_of(x, "state") == "ALIVE")
        result.push_back(text_of(x, "id"));
    return result;
  }

  /// Nothing: the driver is not known.
  std::string driver_state(const std::string& id) {
    auto all = status();
    for (const auto* part : {"active_drivers", "completed_drivers"})
      for (const auto& x : all.at(part).as_array())
        if (text_of(x, "id") == id)
          return text_of(x, "state");
    return {};
  }

  std::string submit(const std::string& script) {
    auto result = run({"submit", "--supervise", "--", "sh", "-c", script});
    REQUIRE(result.status == 0);
    return lines_of(result.out).front();
  }
};

bool said(Process& process, const std::string& words) {
  return process.err().find(words) != std::string::npos;
}

} // namespace

TEST_CASE("programs go on when their worker is killed and started again") {
  RestartCluster cluster;
  cluster.start_master();
  auto& first = cluster.start_in_work();
  auto before = cluster.alive();
  auto& run = cluster.start_script(1, until_go());
  auto program = cluster.starts(1).at(0);
  auto driver = cluster.submit("echo $$ >> drivers; "
                               "until [ -e go ]; do sleep 0.05; done; exit 0");
  REQUIRE(eventually([&] { return cluster.lines("drivers").size() == 1; }));
  RestartCluster::kill(first);
  auto written = cluster.lines("growing").size();
  auto& second = cluster.start_in_work();
  CHECK(said(second, "with 2 programs found again"));
  CHECK(eventually([&] { return cluster.alive() == before; }));
  CHECK(eventually([&] { return cluster.lines("growing").size() > written; }));
  CHECK(lives(program));
  CHECK(cluster.driver_state(driver) == "RUNNING");
  // Nor does a second death do any harm.
  RestartCluster::kill(second);
  auto& third = cluster.start_in_work();
  CHECK(said(third, "with 2 programs found again"));
  CHECK(lives(program));
  cluster.go();
  auto result = run.result();
  CHECK(result.status == 0);
  CHECK(result.out == "done\n");
  CHECK(eventually([&] { return cluster.driver_state(driver) == "FINISHED"; }));
  CHECK(cluster.lines("starts").size() == 1);
  CHECK(cluster.lines("drivers").size() == 1);
  // What has ended and was acknowledged is not found once more.
  REQUIRE(eventually([&] {
    return values_of(cluster.status().at("workers"), "cores_used")
           == std::vector<std::string>{"0"};
  }));
  RestartCluster::kill(third);
  auto& fourth = cluster.start_in_work();
  CHECK(said(fourth, "with 0 programs found again"));
}

TEST_CASE("programs go on when their worker leaves and is started again") {
  RestartCluster cluster;
  cluster.start_master();
  auto& first = cluster.start_in_work();
  auto before = cluster.alive();
  auto& run = cluster.start_script(1, until_go(3));
  auto program = cluster.starts(1).at(0);
  RestartCluster::leave(first);
  CHECK(said(first, "[leaving]"));
  CHECK(lives(program));
  auto& second = cluster.start_in_work();
  CHECK(said(second, "with 1 programs found again"));
  CHECK(eventually([&] { return cluster.alive() == before; }));
  cluster.go();
  CHECK(run.result().status == 3);
  CHECK(cluster.lines("starts").size() == 1);
}

TEST_CASE("a decommissioned worker that is started again drains on") {
  RestartCluster cluster;
  cluster.start_master();
  auto& first = cluster.start_in_work();
  auto id = cluster.alive().at(0);
  auto& run = cluster.start_script(1, until_go(3));
  auto program = cluster.starts(1).at(0);
  auto driver = cluster.submit("echo $$ >> drivers; "
                               "until [ -e go ]; do sleep 0.05; done; exit 0");
  REQUIRE(eventually([&] { return cluster.lines("drivers").size() == 1; }));
  REQUIRE(cluster.run({"decommission", id}).status == 0);
  auto drains = [&] {
    auto all = cluster.status();
    return values_of(all.at("workers"), "id") == std::vector<std::string>{id}
           && values_of(all.at("workers"), "state")
                  == std::vector<std::string>{"DECOMMISSIONED"};
  };
  REQUIRE(drains());
  RestartCluster::leave(first);
  auto& second = cluster.start_in_work();
  CHECK(said(second, "going on as " + id));
  CHECK(said(second, "with 2 programs found again"));
  CHECK(drains());
  RestartCluster::kill(second);
  auto& third = cluster.start_in_work();
  CHECK(said(third, "with 2 programs found again"));
  CHECK(drains());
  CHECK(lives(program));
  CHECK(cluster.driver_state(driver) == "RUNNING");
  // There is room for it, but not for anything new.
  auto next = cluster.submit("exit 0");
  CHECK(cluster.driver_state(next) == "SUBMITTED");
  cluster.go();
  CHECK(run.result().status == 3);
  CHECK(third.result().status == 0);
  CHECK(cluster.driver_state(driver) == "FINISHED");
  CHECK(cluster.driver_state(next) == "SUBMITTED");
  CHECK(cluster.lines("starts").size() == 1);
  CHECK(cluster.lines("drivers").size() == 1);
  // It has left: whoever is started now is another worker, for everything.
  auto& last = cluster.start_in_work();
  CHECK(!said(last, "going on as"));
  CHECK(eventually([&] { return cluster.driver_state(next) == "FINISHED"; }));
}

TEST_CASE("what ends while its worker is dead is billed until its end") {
  RestartCluster cluster;
  cluster.start_master();
  auto& first = cluster.start_in_work();
  auto& run = cluster.start_script(1, until_go());
  auto program = cluster.starts(1).at(0);
  RestartCluster::kill(first);
  cluster.go();
  REQUIRE(eventually([&] { return !lives(program); }));
  auto ended_ms = now_ms();
  // The outage has to last for longer: that is the point.
  REQUIRE(eventually([&] { return now_ms() > ended_ms + 3'000; }));
  cluster.start_in_work();
  CHECK(run.result().status == 0);
  auto history = cluster.run({"history", "--json", "--kind", "executors"}).out;
  auto entries = boost::json::parse(history).at("entries");
  INFO(entries);
  REQUIRE(entries.as_array().size() == 1);
  CHECK(entries.at(0).at("ended_ms").as_int64() <= ended_ms + 1'000);
}

TEST_CASE("an end without a worker is reported by the next one, once") {
  RestartCluster cluster;
  cluster.start_master();
  auto& first = cluster.start_in_work();
  auto& run = cluster.start_script(1, until_go(7));
  auto program = cluster.starts(1).at(0);
  RestartCluster::kill(first);
  cluster.go();
  REQUIRE(eventually([&] { return !lives(program); }));
  cluster.start_in_work();
  auto result = run.result();
  CHECK(result.status == 7);
  CHECK(result.out == "done\n");
  CHECK(cluster.lines("starts").size() == 1);
}

TEST_CASE("a driver that waits for its restart is started by the next worker") {
  RestartCluster cluster;
  cluster.start_master();
  auto& first = cluster.start_in_work();
  auto driver = cluster.submit("echo $$ >> starts; "
                               "until [ -e go ]; do sleep 0.05; done; "
                               "[ -e once ] && exit 0; touch once; exit 5");
  auto program = cluster.starts(1).at(0);
  RestartCluster::kill(first);
  cluster.go();
  REQUIRE(eventually([&] { return !lives(program); }));
  cluster.start_in_work();
  CHECK(eventually([&] { return cluster.driver_state(driver) == "FINISHED"; }));
  CHECK(cluster.lines("starts").size() == 2);
}

TEST_CASE("what a killed worker was told to end ends as killed") {
  RestartCluster cluster;
  cluster.start_master();
  auto& first = cluster.start_in_work();
  // Ignores TERM.
  auto driver = cluster.submit("trap '' TERM; echo $$ >> starts; "
                               "while :; do sleep 0.05; done");
  auto program = cluster.starts(1).at(0);
  REQUIRE(
      eventually([&] { return cluster.driver_state(driver) == "RUNNING"; }));
  CHECK(cluster.run({"kill", driver}).status == 0);
  RestartCluster::kill(first);
  cluster.start_in_work();
  CHECK(eventually([&] { return cluster.driver_state(driver) == "KILLED"; }));
  CHECK(!lives(program));
  CHECK(cluster.lines("starts").size() == 1);
}

TEST_CASE("a worker that comes too late finds its programs ended") {
  RestartCluster cluster;
  cluster.start_master(impatient_master);
  auto& first = cluster.start_in_work(short_grace);
  auto& run = cluster.start_script(1, "exec 9> lock; flock -n 9 || exit 3; "
                                          + until_go());
  auto program = cluster.starts(1).at(0);
  RestartCluster::kill(first);
  REQUIRE(eventually([&] { return cluster.alive().empty(); }));
  REQUIRE(eventually([&] { return !lives(program); }));
  REQUIRE(eventually([&] {
    return values_of(cluster.status().at("workers"), "state")
           == std::vector<std::string>{"DEAD"};
  }));
  cluster.start_in_work(short_grace);
  cluster.starts(2);
  cluster.go();
  auto result = run.result();
  CHECK(result.status == 0);
  CHECK(cluster.lines("starts").size() == 2);
}

TEST_CASE("a worker with other cores ends what it finds") {
  RestartCluster cluster;
  cluster.start_master(impatient_master);
  auto& first = cluster.start_in_work();
  auto before = cluster.alive();
  auto& run = cluster.start_script(1, until_go());
  auto program = cluster.starts(1).at(0);
  RestartCluster::kill(first);
  auto& second = cluster.start_in_work({}, "1");
  CHECK(said(second, "ending 1 programs"));
  CHECK(eventually([&] { return !lives(program); }));
  // The master gives the work to whom it has.
  cluster.starts(2);
  CHECK(cluster.alive() != before);
  CHECK(cluster.alive().size() == 1);
  cluster.go();
  CHECK(run.result().status == 0);
  CHECK(cluster.lines("starts").size() == 2);
}

TEST_CASE("of two workers in one directory only the dead one is succeeded") {
  RestartCluster cluster;
  cluster.start_master();
  auto& first = cluster.start_in_work();
  auto first_id = cluster.alive().at(0);
  auto& second = cluster.start_in_work();
  auto both = cluster.alive();
  REQUIRE(both.size() == 2);
  auto& run = cluster.start_script(4, until_go());
  auto programs = cluster.starts(4);
  RestartCluster::kill(first);
  auto& third = cluster.start_in_work();
  CHECK(said(third, "going on as " + first_id));
  CHECK(said(third, "with 2 programs found again"));
  CHECK(second.running());
  CHECK(eventually([&] { return cluster.alive() == both; }));
  CHECK(std::all_of(programs.begin(), programs.end(), lives));
  cluster.go();
  CHECK(run.result().status == 0);
  CHECK(cluster.lines("starts").size() == 4);
}

TEST_CASE("a record that cannot be read costs its program only") {
  RestartCluster cluster;
  cluster.start_master();
  auto& first = cluster.start_in_work();
  auto& run = cluster.start_script(2, until_go());
  auto programs = cluster.starts(2);
  RestartCluster::kill(first);
  namespace fs = std::filesystem;
  std::string damaged;
  for (const auto& x :
       fs::directory_iterator{cluster.path("work/.workers/1/programs")})
    if (x.path().filename().string().ends_with("+0.json"))
      damaged = x.path();
  REQUIRE(!damaged.empty());
  std::ofstream{damaged} << "garbage\n";
  auto& second = cluster.start_in_work();
  CHECK(said(second, "cannot read " + damaged));
  // One of the two was ended, and runs again; the other one went on.
  cluster.starts(3);
  CHECK(eventually([&] {
    return std::count_if(programs.begin(), programs.end(), lives) == 1;
  }));
  cluster.go();
  CHECK(run.result().status == 0);
  CHECK(cluster.lines("starts").size() == 3);
}

TEST_CASE("a worker that was stopped has no successor") {
  RestartCluster cluster;
  cluster.start_master();
  auto& first = cluster.start_in_work();
  auto before = cluster.alive();
  auto& run = cluster.start_script(1, until_go());
  cluster.starts(1);
  first.send(SIGTERM);
  CHECK(first.result().status == 0);
  CHECK(!std::filesystem::exists(cluster.path("work/.workers/1")));
  auto& second = cluster.start_in_work();
  CHECK(!said(second, "going on as"));
  CHECK(cluster.alive() != before);
  cluster.go();
  CHECK(run.result().status == 0);
}

TEST_CASE("workers of a local cluster that was killed go on in the next one") {
  RestartCluster cluster;
  std::vector<std::string> words{"--workers", "2",        "--cores",
                                 "1",         "--memory", "512m"};
  auto& first = cluster.start_local(words);
  auto before = cluster.alive();
  REQUIRE(before.size() == 2);
  REQUIRE(cluster.run_script(2, "echo instance $STOKER_INDEX").status == 0);
  auto ended = values_of(cluster.status().at("completed_apps"), "id").back();
  auto& run = cluster.start_script(1, until_go());
  auto program = cluster.starts(1).at(0);
  RestartCluster::kill(first);
  cluster.start_local(words);
  CHECK(eventually([&] { return cluster.alive() == before; }));
  // What has ended has left its output there.
  std::string both;
  for (const auto* number : {"/0", "/1"}) {
    auto result = cluster.run({"logs", ended + number});
    INFO(result.err);
    CHECK(result.status == 0);
    both += result.out;
  }
  CHECK((both == "instance 0\ninstance 1\n"
         || both == "instance 1\ninstance 0\n"));
  // What runs is not disturbed.
  CHECK(lives(program));
  cluster.go();
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "done\n");
  CHECK(cluster.lines("starts").size() == 1);
}

TEST_CASE("what a local cluster ran ends if the next one has other workers") {
  RestartCluster cluster;
  auto& first = cluster.start_local(
      {"--workers", "1", "--cores", "1", "--memory", "512m"});
  auto before = cluster.alive();
  auto& run = cluster.start_script(1, until_go());
  auto program = cluster.starts(1).at(0);
  RestartCluster::kill(first);
  cluster.start_local({"--workers", "1", "--cores", "2", "--memory", "512m"});
  CHECK(eventually([&] { return !lives(program); }));
  CHECK(cluster.alive() != before);
  // It is started again, once.
  CHECK(cluster.starts(2).at(1) != program);
  cluster.go();
  CHECK(run.result().status == 0);
  CHECK(cluster.lines("starts").size() == 2);
}
