// The message log of a real cluster, replayed.

#include <signal.h>

#include <fstream>

#include "cluster.hpp"
#include "storage/message_log.hpp"
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
  std::ifstream in{file};
  CHECK(stoker::replay(in).value_or("") == "");
  in = std::ifstream{file};
  stoker::MessageLogReader log{in};
  std::size_t steps = 0;
  while (log.next())
    ++steps;
  CHECK(steps > 30);
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
