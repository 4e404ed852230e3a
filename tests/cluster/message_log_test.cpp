// The message log of a real cluster, replayed.

#include <signal.h>

#include <filesystem>
#include <fstream>

#include "storage/replay.hpp"
#include "storage/task_replay.hpp"
#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

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
  REQUIRE(result);
  CHECK(result->problem().empty());
  CHECK(result->steps > 30);
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

TEST_CASE("the log of a master that stood down and led again replays, too") {
  Cluster cluster;
  auto log = cluster.path("master.log");
  auto& master = cluster.start_master({"--log", log});
  cluster.start_worker();
  REQUIRE(cluster.run({"submit", "--", "true"}).status == 0);
  std::filesystem::remove(cluster.path("data/lock"));
  await(master, "[standby] STANDBY");
  // A second later.
  REQUIRE(eventually([&] {
    auto led = master.err();
    auto first = led.find("[leadership-begun]");
    return led.find("[leadership-begun]", first + 1) != std::string::npos;
  }));
  use(cluster);
  REQUIRE(eventually([&] {
    return cluster.status().at("completed_drivers").as_array().size() == 2;
  }));
  master.send(SIGTERM);
  CHECK(master.result().status == 0);
  check_replay(log);
  auto shown = cluster.run({"log", "show", log});
  CHECK(shown.status == 0);
  CHECK(shown.out.find("  LeadershipEnded why=\"the lock of ")
        != std::string::npos);
  auto replayed = cluster.run({"replay", log, "--status", "--json"});
  CHECK(replayed.status == 0);
  auto then = boost::json::parse(replayed.out);
  CHECK(text_of(then, "status") == "ALIVE");
  CHECK(then.at("completed_drivers").as_array().size() == 2);
}

TEST_CASE("a log can be shown, replayed and asked by commands") {
  Cluster cluster;
  auto log = cluster.path("master.log");
  auto& local = cluster.start_local(
      {"--workers", "1", "--cores", "1", "--memory", "1g", "--log", log});
  CHECK(cluster.run_script(1, "true").status == 0);
  auto id = text_of(cluster.status().at("completed_apps").at(0), "id");
  auto driver = lines_of(cluster.run({"submit", "--", "true"}).out).front();
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
  auto of_driver = cluster.run({"replay", log, "--explain", driver});
  CHECK(of_driver.status == 0);
  CHECK(of_driver.out.find(driver) == 0);
  const std::string unknown = "driver-20261121090120-9999";
  check_refusal(cluster.run({"replay", log, "--explain", unknown}), 1,
                "no driver '" + unknown + "' was known then");
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
  check_refusal(cluster.run({"log", "show", log, "--app", "app-nosuch"}), 1,
                "no step of the log names 'app-nosuch'");
  check_refusal(
      cluster.run({"log", "show", log, "--app", id, "--to", "1", "--json"}), 1,
      "no step with such a number names '" + id + '\'');
  check_refusal(cluster.run({"log", "show", log, "--from", "1000000"}), 1,
                "no step with such a number is in the log");
  auto one = cluster.run({"log", "show", log, "--from", "2", "--to", "2"});
  CHECK(one.status == 0);
  CHECK(lines_of(one.out).front().find("  2  ") != std::string::npos);
  check_refusal(cluster.run({"log", "show", cluster.path("none")}), 65,
                "cannot read the message log");
}

TEST_CASE("the log of a job replays to the same effects") {
  Cluster cluster;
  cluster.start_local({"--workers", "2", "--cores", "1", "--memory", "1g"});
  auto log = cluster.path("job.log");
  auto job = cluster.path("job.json");
  std::ofstream{job} << R"x({"stages": [
      {"name": "a", "input": {"range": 6}, "shuffle": {"partitions": 2},
       "env": {"PASSWORD": "hunter2"},
       "command": ["sh", "-c", "cat; [ $STOKER_TASK$STOKER_ATTEMPT != 10 ]"]},
      {"name": "b", "from": ["a"], "command": ["wc", "-l"]}]})x";
  auto run = cluster.run({"job", job, "--log", log});
  REQUIRE(run.status == 0);
  auto replay = stoker::replay_task_log_file(log);
  REQUIRE(replay);
  CHECK(replay->problem().empty());
  CHECK(replay->steps > 8);
  CHECK(replay->scheduler.state().jobs.empty());
  auto text = contents_of(log);
  CHECK(text.find("AttemptFailed id=0/1.0") != std::string::npos);
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(mode_of(log) == 0600);

  auto same = cluster.run({"replay", log});
  CHECK(same.status == 0);
  CHECK(same.out.find("all with the same effects as then")
        != std::string::npos);
  auto shown = cluster.run({"log", "show", log});
  CHECK(shown.status == 0);
  CHECK(shown.out.find("  JobSubmitted job={id=0 ") != std::string::npos);
  CHECK(shown.out.find("\n    JobEnded job=0 outcome=succeeded\n")
        != std::string::npos);
  auto then = cluster.run({"replay", log, "--until", "1"});
  CHECK(then.status == 0);
  CHECK(then.out.find("Stages\n") != std::string::npos);
  check_refusal(cluster.run({"replay", log, "--queues"}), 2,
                "is a task scheduler's log");
  check_refusal(cluster.run({"replay", log, "--explain", "app-1"}), 2,
                "is a task scheduler's log");
  check_refusal(cluster.run({"log", "show", log, "--app", "app-1"}), 2,
                "is a task scheduler's log");
  check_refusal(cluster.run({"replay", log, "--until", "1000000"}), 1,
                "the log has only");

  auto at = text.find("StageCompleted stage=0");
  REQUIRE(at != std::string::npos);
  std::ofstream{cluster.path("other.log")}
      << text.replace(at, 22, "StageCompleted x");
  auto differs = cluster.run({"replay", cluster.path("other.log")});
  CHECK(differs.status == 1);
  CHECK(differs.out.find(
            "\n  then: StageCompleted x\n  now:  StageCompleted stage=0\n")
        != std::string::npos);
  // A file that is none is not replaced, and the job is not tried.
  check_refusal(cluster.run({"job", job, "--log", job}), 1,
                "is something else");
}

TEST_CASE("the log of a job that was killed replays, too") {
  Cluster cluster;
  cluster.start_local({"--workers", "2", "--cores", "1", "--memory", "1g"});
  auto log = cluster.path("job.log");
  auto began = cluster.path("began");
  auto job = cluster.path("job.json");
  std::ofstream{job} << R"x({"stages": [{"name": "a", "input": {"range": 2},
      "command": ["sh", "-c", "echo $STOKER_TASK >> )x"
                            + began + R"x(; exec sleep 1000"]}]})x";
  auto& run = cluster.stoker(
      {"job", job, "--log", log, "--log-max-size", "1m", "--log-files", "2"});
  REQUIRE(eventually([&] { return lines_of(contents_of(began)).size() == 2; }));
  // It is written some milliseconds later.
  REQUIRE(eventually([&] {
    auto text = contents_of(log);
    return text.find("0/0.0") != std::string::npos
           && text.find("0/1.0") != std::string::npos;
  }));
  run.send(SIGKILL);
  run.result();
  auto replay = stoker::replay_task_log_file(log);
  REQUIRE(replay);
  CHECK(replay->problem().empty());
  CHECK(replay->scheduler.state().stages.at(stoker::StageId{0}).tasks->running()
        == 2);
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

TEST_CASE("a leader's log is taken away by no other master") {
  Cluster cluster;
  auto log = cluster.path("master.log");
  cluster.start_master({"--log", log});
  cluster.start_worker();
  REQUIRE(eventually([&] { return !contents_of(log).empty(); }));
  auto port = std::to_string(cluster.reserve_port());
  SECTION("that finds its port taken") {
    for (int i = 0; i < 5; ++i)
      check_refusal(
          cluster.run({"master", "--port", std::to_string(cluster.port()),
                       "--data", cluster.path("data"), "--log", log}),
          1, "cannot listen at");
  }
  SECTION("that would stand by") {
    check_refusal(cluster.run({"master", "--port", port, "--data",
                               cluster.path("data"), "--log", log}),
                  1, "another process writes there");
  }
  SECTION("that is of another cluster") {
    check_refusal(cluster.run({"local", "--port", port, "--data",
                               cluster.path("other"), "--log", log}),
                  1, "another process writes there");
  }
  CHECK_FALSE(std::filesystem::exists(log + ".1"));
  // It goes on there.
  REQUIRE(cluster.run({"run", "--", "true"}).status == 0);
  CHECK(eventually([&] {
    return contents_of(log).find("RegisterApplication") != std::string::npos;
  }));
}
