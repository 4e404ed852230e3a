// stoker wait: for what was started by others, to its end.

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

constexpr const char* until_it_may_end
    = "until [ -e go ]; do sleep 0.05; done; exit ";

std::string submit(Cluster& cluster, const std::string& script,
                   std::vector<std::string> words = {"submit"}) {
  words.insert(words.end(), {"--", "sh", "-c", script});
  auto result = cluster.run(words);
  REQUIRE(result.status == 0);
  return lines_of(result.out).front();
}

void let_it_end(const Cluster& cluster) {
  std::ofstream{cluster.path("go")};
}

/// Somebody has waited for what goes on, from `begun` for `timeout`, and less than `most`.
void check_that_time_is_up(Process& wait, const std::string& id,
                           std::chrono::steady_clock::time_point begun,
                           std::chrono::milliseconds timeout,
                           std::chrono::milliseconds most) {
  auto result = wait.result();
  auto took = std::chrono::steady_clock::now() - begun;
  CHECK(result.status == 124);
  CHECK(result.err.find("the time is up, and this has not ended: " + id)
        != std::string::npos);
  CHECK(took >= timeout);
  CHECK(took < most);
}

/// A cluster whose one master is killed, and started again.
struct ReplaceableMaster : Cluster {
  Process* master = start_one();
  Worker worker = start_worker();

  /// Kills the master when somebody waits for its answer, and starts another one when he
  /// has said that it is gone.
  void replace_master(const Process& who_waits) {
    auto before = notices_of(who_waits);
    await(*master, "[question-kept]");
    master->send(SIGKILL);
    // It is told at once that its master is gone, and not when the time for an answer is up.
    REQUIRE(eventually([&] { return notices_of(who_waits) == before + 1; }));
    master = start_one();
  }

private:
  Process* start_one() {
    return &start_master({"--log-level", "info,question-kept=debug"});
  }

  static std::ptrdiff_t notices_of(const Process& x) {
    auto lines = lines_of(x.err());
    return std::count_if(lines.begin(), lines.end(), [](const auto& line) {
      return line.ends_with("; trying again");
    });
  }
};

} // namespace

TEST_CASE("waiting for a driver ends with it, and as it has ended") {
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  auto good = submit(cluster, "true");
  auto bad = submit(cluster, std::string{until_it_may_end} + "7");
  auto first = cluster.run({"wait", good});
  CHECK(first.status == 0);
  CHECK(first.out == good + " FINISHED\n");
  auto& both = cluster.stoker({"wait", good, bad});
  auto in_vain = cluster.run({"wait", "--timeout", "100ms", good, bad});
  CHECK(in_vain.status == 124);
  CHECK(in_vain.err.find("this has not ended: " + bad) != std::string::npos);
  // It looks once.
  CHECK(cluster.run({"wait", "--timeout", "0", bad}).status == 124);
  CHECK(cluster.run({"wait", "--timeout", "0", good}).status == 0);
  auto json = cluster.run({"wait", "--json", good});
  CHECK(boost::json::parse(json.out).at("exit_status") == 0);
  CHECK(both.running());
  let_it_end(cluster);
  auto result = both.result();
  CHECK(result.status == 7);
  CHECK(result.out.find(bad + " FAILED, exit code 7") != std::string::npos);
  CHECK(result.err.empty());
  CHECK(cluster.run({"wait", "--quiet", good, bad}).out.empty());
}

TEST_CASE("waiting for an application ends with what failed in it") {
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  auto& run = cluster.start_script(2, std::string{until_it_may_end} + "3");
  REQUIRE(eventually([&] {
    return cluster.status().at("active_apps").as_array().size() == 1;
  }));
  auto id = text_of(cluster.status().at("active_apps").at(0), "id");
  auto& wait = cluster.stoker({"wait", id});
  let_it_end(cluster);
  CHECK(wait.result().status == 3);
  CHECK(run.result().status == 3);
}

TEST_CASE("waiting for what there is not is an error at once") {
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  check_refusal(cluster.run({"wait", "driver-1"}), 1,
                "driver-1: not known here");
  check_refusal(cluster.run({"wait", "no-id"}), 2,
                "'no-id' is the id of no application or driver");
  check_refusal(cluster.run({"wait", "app-1/0"}), 2,
                "is the id of no application or driver");
}

TEST_CASE("what the master has forgotten is looked for in its history") {
  Cluster cluster;
  cluster.start_master({"--conf", "spark.deploy.retainedApplications=1",
                        "--conf", "spark.deploy.retainedDrivers=1", "--conf",
                        "stoker.deploy.submissionRetention=0s"});
  cluster.start_worker();
  auto driver = submit(cluster, "exit 7");
  CHECK(cluster.run({"wait", driver}).status == 7);
  CHECK(cluster.run_script(2, "exit $((STOKER_INDEX * 3))").status == 3);
  auto app = text_of(cluster.status().at("completed_apps").at(0), "id");
  for (int i = 0; i < 3; ++i) {
    CHECK(cluster.run_script(1, "true").status == 0);
    CHECK(cluster.run({"wait", submit(cluster, "true")}).status == 0);
  }
  for (const auto& id : {app, driver})
    CHECK(cluster.run({"status", id}).status == 1);
  // The history follows some tenths of a second behind.
  REQUIRE(eventually([&] {
    return cluster.run({"history", app}).status == 0
           && cluster.run({"history", driver}).status == 0;
  }));
  auto ended = cluster.run({"wait", driver});
  CHECK(ended.status == 7);
  CHECK(ended.out.starts_with(driver + " FAILED, exit code 7"));
  ended = cluster.run({"wait", app});
  CHECK(ended.status == 3);
  CHECK(ended.out.starts_with(app + " FAILED, exit code 3"));
  auto both = cluster.run({"wait", driver, "driver-1"});
  CHECK(both.status == 1);
  CHECK(both.err == "stoker: driver-1: not known here, or not any more\n");
}

TEST_CASE(
    "a driver that was relaunched is found by its first id, also when more "
    "has ended than is kept") {
  Cluster cluster;
  cluster.start_master({"--conf", "stoker.reconnect.timeout=2s", "--conf",
                        "spark.deploy.retainedDrivers=1", "--conf",
                        "stoker.deploy.submissionRetention=0s"});
  auto first = cluster.start_worker({"--conf", "stoker.orphan.grace=1s"});
  auto id = submit(cluster, until_it_may_end + std::string{"7"},
                   {"submit", "--supervise", "--max-restarts", "0"});
  auto look = [&] { return cluster.run({"wait", "--timeout", "0", id}); };
  REQUIRE(eventually([&] { return look().out == id + " RUNNING\n"; }));
  auto worker = cluster.start_worker();
  auto& waits = cluster.stoker({"wait", id});
  first.process->send(SIGKILL);
  auto end_three = [&] {
    for (int i = 0; i < 3; ++i)
      CHECK(cluster.run({"wait", submit(cluster, "true")}).status == 0);
  };
  auto successor = [&] {
    auto found = cluster.run({"history", id, "--json"});
    if (found.status != 0)
      return std::string{};
    auto answer = boost::json::parse(found.out);
    return text_of(answer.at("entries").at(0), "relaunched_as");
  };
  REQUIRE(eventually([&] { return successor().starts_with("driver-"); }));
  end_three();
  auto now = look();
  CHECK(now.status == 124);
  CHECK(now.out == id + " RUNNING as " + successor() + '\n');
  CHECK(waits.running());
  let_it_end(cluster);
  CHECK(waits.result().status == 7);
  end_three();
  CHECK(cluster.run({"status", id}).status == 1);
  REQUIRE(eventually([&] {
    return cluster.run({"history", successor()}).status == 0;
  }));
  auto ended = cluster.run({"wait", id});
  CHECK(ended.status == 7);
  CHECK(ended.out.starts_with(id + " FAILED as " + successor()
                              + ", exit code 7"));
}

TEST_CASE(
    "waiting goes on for as long as each master is followed by another in "
    "time") {
  ReplaceableMaster cluster;
  auto id = submit(cluster, std::string{until_it_may_end} + "5");
  constexpr std::chrono::seconds patience{6};
  auto& wait = cluster.stoker(
      {"wait", id, "--master-timeout", std::to_string(patience.count()) + "s"});
  auto until = std::chrono::steady_clock::now() + patience * 3 / 2;
  while (std::chrono::steady_clock::now() < until)
    cluster.replace_master(wait);
  let_it_end(cluster);
  CHECK(wait.result().status == 5);
}

TEST_CASE("waiting goes on when another master leads") {
  Cluster cluster;
  auto& first = cluster.start_master();
  auto& second = cluster.start_standby();
  cluster.start_worker();
  auto id = submit(cluster, std::string{until_it_may_end} + "5");
  auto& wait = cluster.stoker({"wait", id});
  first.send(SIGKILL);
  await(second, "leadership-begun");
  CHECK(wait.running());
  let_it_end(cluster);
  CHECK(wait.result().status == 5);
}

TEST_CASE("waiting goes on when the one master is started again") {
  ReplaceableMaster cluster;
  auto id
      = submit(cluster, "echo begun; " + std::string{until_it_may_end} + "5");
  auto& wait = cluster.stoker({"wait", id});
  auto& logs = cluster.stoker({"logs", id, "-f"});
  // A command that has reached no master yet does not wait for one that is gone.
  REQUIRE(eventually([&] { return logs.out() == "begun\n"; }));
  for (int i = 0; i < 2; ++i)
    cluster.replace_master(wait);
  let_it_end(cluster);
  CHECK(wait.result().status == 5);
  CHECK(logs.result().status == 0);
}

TEST_CASE("waiting goes on when a master that hung answers again") {
  ReplaceableMaster cluster;
  auto id = submit(cluster, std::string{until_it_may_end} + "5");
  auto& wait = cluster.stoker({"wait", id});
  await(*cluster.master, "[question-kept]");
  cluster.master->send(SIGSTOP);
  // An answer may wait for ten seconds: only then is it late.
  await(wait, "does not answer; trying again");
  cluster.master->send(SIGCONT);
  let_it_end(cluster);
  CHECK(wait.result().status == 5);
}

TEST_CASE("waiting ends when its time is up, though other masters lead since") {
  ReplaceableMaster cluster;
  auto id = submit(cluster, std::string{until_it_may_end} + "0");
  constexpr std::chrono::seconds timeout{9};
  auto begun = std::chrono::steady_clock::now();
  auto& wait = cluster.stoker(
      {"wait", id, "--timeout", std::to_string(timeout.count()) + "s"});
  while (std::chrono::steady_clock::now() < begun + timeout / 2)
    cluster.replace_master(wait);
  // It has not waited anew.
  check_that_time_is_up(wait, id, begun, timeout, timeout * 4 / 3);
  let_it_end(cluster);
  CHECK(cluster.run({"wait", id}).status == 0);
}

TEST_CASE("waiting ends when its time is up, though no master is there then") {
  ReplaceableMaster cluster;
  auto id = submit(cluster, std::string{until_it_may_end} + "0");
  auto begun = std::chrono::steady_clock::now();
  auto& wait = cluster.stoker(
      {"wait", id, "--timeout", "3s", "--master-timeout", "60s"});
  await(*cluster.master, "[question-kept]");
  SECTION("it is gone") {
    cluster.master->send(SIGKILL);
  }
  SECTION("it hangs") {
    cluster.master->send(SIGSTOP);
  }
  check_that_time_is_up(wait, id, begun, 3s, 5s);
  cluster.master->send(SIGKILL);
  let_it_end(cluster);
}

TEST_CASE("waiting ends when its time is up, though the leader hangs and "
          "another master stands by") {
  Cluster cluster;
  auto& leader
      = cluster.start_master({"--log-level", "info,question-kept=debug"});
  cluster.start_standby();
  cluster.start_worker();
  auto id = submit(cluster, std::string{until_it_may_end} + "0");
  auto begun = std::chrono::steady_clock::now();
  auto& wait = cluster.stoker({"wait", id, "--timeout", "3s"});
  await(leader, "[question-kept]");
  leader.send(SIGSTOP);
  check_that_time_is_up(wait, id, begun, 3s, 5s);
  leader.send(SIGKILL);
  let_it_end(cluster);
}

TEST_CASE("waiting looks for a first master until its time is up") {
  Cluster cluster;
  auto begun = std::chrono::steady_clock::now();
  auto result
      = cluster.run({"wait", "driver-1", "--timeout", "1s", "--master",
                     "stoker://127.0.0.1:1", "--master-timeout", "60s"});
  auto took = std::chrono::steady_clock::now() - begun;
  CHECK(result.status == 69);
  CHECK(took >= 1s);
  CHECK(took < 30s);
}
