// The message log of a real cluster, replayed.

#include <signal.h>

#include <fstream>

#include "storage/replay.hpp"
#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// Something of everything that a master does.
void use(Cluster& cluster) {
  CHECK(cluster.run_script(5, "echo $STOKER_INDEX").status == 0);
  CHECK(cluster.run_script(2, "exit 3").status == 3);
  CHECK(cluster.run({"run", "--memory", "64g", "--", "true"}).status == 1);
  auto driver = cluster.run({"submit", "--", "sleep", "1000"});
  REQUIRE(driver.status == 0);
  CHECK(cluster.run({"kill", lines_of(driver.out).front()}).status == 0);
  CHECK(cluster.run({"kill", "app-1"}).status == 1);
  auto& run = cluster.start_script(2, "echo x; sleep 1000");
  REQUIRE(eventually([&] { return lines_of(run.out()).size() == 2; }));
  run.send(SIGINT);
  CHECK(run.result().status == 130);
}

void check_replay(const std::string& file) {
  auto result = stoker::replay_file(file);
  CHECK(result.problem().empty());
  CHECK(result.steps > 30);
}

} // namespace

TEST_CASE("the log of a cluster replays to the same effects") {
  Cluster cluster;
  auto log = cluster.path("master.log");
  auto& local = cluster.start_local(
      {"--workers", "2", "--cores", "2", "--memory", "1g", "--log", log});
  use(cluster);
  SECTION("that was stopped") {
    local.send(SIGTERM);
    CHECK(local.result().status == 0);
  }
  SECTION("that was killed") {
    local.send(SIGKILL);
    local.result();
  }
  check_replay(log);
}

TEST_CASE("the log of a master that lost a worker replays, too") {
  Cluster cluster;
  auto log = cluster.path("master.log");
  cluster.start_master({"--log", log, "--conf", "stoker.reconnect.timeout=2s"});
  auto first = cluster.start_worker({"--conf", "stoker.orphan.grace=1s"});
  auto& run = cluster.start_script(
      2, "echo x; [ -e was-$STOKER_INDEX ] || "
         "{ touch was-$STOKER_INDEX; exec sleep 1000; }");
  REQUIRE(eventually([&] { return lines_of(run.out()).size() == 2; }));
  cluster.start_worker();
  first.process->send(SIGKILL);
  CHECK(run.result().status == 0);
  use(cluster);
  check_replay(log);
}

TEST_CASE("a log can be shown, replayed and asked by commands") {
  Cluster cluster;
  auto log = cluster.path("master.log");
  auto& local = cluster.start_local(
      {"--workers", "1", "--cores", "1", "--memory", "1g", "--log", log});
  CHECK(cluster.run_script(1, "true").status == 0);
  auto id = text_of(cluster.status().at("completed_apps").at(0), "id");
  local.send(SIGTERM);
  CHECK(local.result().status == 0);

  auto shown = cluster.run({"log", "show", log, "--app", id});
  CHECK(shown.status == 0);
  CHECK(shown.out.find("  RegisterApplication description={name=")
        != std::string::npos);
  CHECK(shown.out.find("ElectedLeader") == std::string::npos);
  auto line = lines_of(shown.out).front();
  // "DATE TIME  NUMBER  EVENT"
  auto number = line.substr(25, line.find("  ", 25) - 25);

  auto replay = cluster.run({"replay", log});
  CHECK(replay.status == 0);
  CHECK(replay.out.find("all with the same effects as then")
        != std::string::npos);
  auto why = cluster.run({"replay", log, "--until", number, "--explain", id});
  CHECK(why.status == 0);
  CHECK(why.out.find(id + " '") == 0);
  CHECK(why.out.find("RUNNING") != std::string::npos);
  CHECK(cluster.run({"replay", log, "--queues"}).status == 0);
  check_refusal(cluster.run({"replay", log, "--explain", "app-1"}), 1,
                "no application 'app-1' was known then");
  check_refusal(cluster.run({"replay", log, "--until", "1000000"}), 1,
                "the log has only");

  auto text = contents_of(log);
  auto at = text.find("reply true");
  REQUIRE(at != std::string::npos);
  std::ofstream{cluster.path("other.log")} << text.replace(at, 10, "reply odd");
  auto differs = cluster.run({"replay", cluster.path("other.log")});
  CHECK(differs.status == 1);
  CHECK(differs.out.find("\n  then: reply odd\n  now:  reply true\n")
        != std::string::npos);

  std::ofstream{cluster.path("bad.log")}
      << text.insert(text.find("{\"at"), "x");
  check_refusal(cluster.run({"replay", cluster.path("bad.log")}), 65,
                "line 2 is damaged");
  check_refusal(cluster.run({"log", "show", cluster.path("none")}), 65,
                "cannot read the message log");
}

TEST_CASE("a master keeps as many files of its log as it was told to") {
  Cluster cluster;
  auto log = cluster.path("master.log");
  for (int i = 0; i < 3; ++i) {
    auto& master = cluster.start_master({"--log", log, "--log-files", "2"});
    master.send(SIGTERM);
    CHECK(master.result().status == 0);
  }
  CHECK_FALSE(contents_of(log).empty());
  CHECK_FALSE(contents_of(log + ".1").empty());
  CHECK(contents_of(log + ".2").empty());
  check_refusal(cluster.run({"master", "--log", log, "--log-files", "0"}), 2,
                "--log-files");
}
