// Leaders that live and do nothing, and leaders whose store is gone: others lead,
// or nobody does, but nothing is forgotten.

#include <signal.h>

#include <filesystem>
#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// A master, one that stands by, and a run of one instance that waits.
struct HangingLeader {
  Cluster cluster;
  Process* first = nullptr;
  Process* second = nullptr;
  Process* run = nullptr;

  void start_first() {
    port_ = cluster.reserve_port();
    cluster.environment["STOKER_MASTER"]
        += ",127.0.0.1:" + std::to_string(port_);
    first = &cluster.start_master(timeout_);
  }

  void start_others() {
    std::vector<std::string> words{"master", "--port", std::to_string(port_),
                                   "--data", cluster.path("data")};
    words.insert(words.end(), timeout_.begin(), timeout_.end());
    second = &cluster.stoker(words);
    await(*second, "STANDBY");
    start_run();
  }

  void start_run() {
    cluster.start_worker();
    run = &cluster.start_script(
        1, "echo $$ >> " + cluster.path("starts") + "; echo here; until [ -e "
               + cluster.path("go") + " ]; do sleep 0.05; done");
    REQUIRE(eventually([this] { return run->out() == "here\n"; }));
  }

  void check_that_run_goes_on() {
    std::ofstream{cluster.path("go")};
    auto result = run->result();
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(lines_of(contents_of(cluster.path("starts"))).size() == 1);
  }

private:
  std::uint16_t port_ = 0;
  std::vector<std::string> timeout_{"--conf", "stoker.leader.timeout=3s"};
};

/// Only a master's own database, not what a shell has open.
void move_database(const std::string& from, const std::string& to) {
  std::filesystem::create_directories(to);
  for (const auto* name : {"stoker.db", "stoker.db-wal", "stoker.db-shm"})
    if (std::filesystem::exists(from + '/' + name))
      std::filesystem::rename(from + '/' + name, to + '/' + name);
}

} // namespace

TEST_CASE("a leader that hangs is killed and replaced") {
  HangingLeader x;
  x.start_first();
  x.start_others();
  x.first->send(SIGSTOP);
  await(*x.second, "ALIVE at");
  CHECK(x.second->err().find("it is killed") != std::string::npos);
  CHECK(x.first->result().status != 0);
  x.check_that_run_goes_on();
}

TEST_CASE("a leader whose disk hangs ends, and is replaced") {
  HangingLeader x;
  auto& environment = x.cluster.environment;
  environment["LD_PRELOAD"] = STOKER_HANGING_DISK;
  environment["STOKER_TEST_DISK_HANGS"] = x.cluster.path("hangs");
  x.start_first();
  environment.erase("LD_PRELOAD");
  x.start_others();
  std::ofstream{x.cluster.path("hangs")};
  auto& submit = x.cluster.stoker(
      {"submit", "--name", "late", "--cores", "1", "--", "true"});
  await(*x.second, "ALIVE at");
  CHECK(x.first->err().find("the store has not answered for")
        != std::string::npos);
  CHECK(x.first->result().status == 1);
  CHECK(submit.result().status == 0);
  x.check_that_run_goes_on();
}

TEST_CASE("a leader whose database is gone forgets nothing") {
  HangingLeader x;
  x.start_first();
  x.start_run();
  auto data = x.cluster.path("data");
  auto aside = x.cluster.path("aside");
  SECTION("the database alone") {
    move_database(data, aside);
    await(*x.first, "cannot be found any more");
    // It tries to lead again, and may not.
    CHECK_FALSE(std::filesystem::exists(data + "/stoker.db"));
    move_database(aside, data);
  }
  SECTION("its directory") {
    std::filesystem::rename(data, aside);
    await(*x.first, "was removed or replaced");
    CHECK_FALSE(std::filesystem::exists(data));
    std::filesystem::rename(aside, data);
  }
  REQUIRE(eventually([&] {
    auto found = x.first->err().find("ALIVE at");
    return found != std::string::npos
           && x.first->err().find("ALIVE at", found + 1) != std::string::npos;
  }));
  x.check_that_run_goes_on();
}
