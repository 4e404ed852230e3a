// What is known of applications that have ended.

#include <signal.h>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// A master and a worker, and an application that has ended.
struct HistoryFixture {
  Cluster cluster;
  Process* master = nullptr;

  void start_master(const std::vector<std::string>& words = {}) {
    master = &cluster.start_master(words);
  }

  void start_master_again(const std::vector<std::string>& words = {}) {
    master->send(SIGKILL);
    master->result();
    start_master(words);
    REQUIRE(eventually([&] {
      auto status = cluster.status();
      return text_of(status, "status") == "ALIVE"
             && text_of(status.at("workers").at(0), "state") == "ALIVE";
    }));
  }

  /// Returns the id of an application of two instances that has ended.
  std::string run_two() {
    auto result = cluster.run_script(2, "echo instance $STOKER_INDEX");
    CHECK(result.status == 0);
    return values_of(cluster.status().at("completed_apps"), "id").back();
  }

  boost::json::object status_of(const std::string& app) {
    auto result = cluster.run({"status", "--app", app, "--json"});
    INFO(result.err);
    REQUIRE(result.status == 0);
    return boost::json::parse(result.out).as_object();
  }
};

} // namespace

TEST_CASE("an application that has ended is shown with its executors, also by "
          "the next master") {
  HistoryFixture x;
  x.start_master();
  x.cluster.start_worker();
  auto other = x.run_two();
  auto id = x.run_two();
  REQUIRE(other != id);
  auto check = [&] {
    auto status = x.status_of(id);
    CHECK(values_of(status.at("completed_apps"), "id")
          == std::vector<std::string>{id});
    auto executors = status.at("completed_apps").at(0).at("executors");
    REQUIRE(executors.as_array().size() == 2);
    CHECK(values_of(executors, "state")
          == std::vector<std::string>{"EXITED", "EXITED"});
  };
  check();
  x.start_master_again();
  check();
}

TEST_CASE("what an executor wrote is found when the master was started again") {
  HistoryFixture x;
  x.start_master();
  x.cluster.start_worker();
  auto id = x.run_two();
  x.start_master_again();
  std::string both;
  for (const auto* number : {"/0", "/1"}) {
    auto result = x.cluster.run({"logs", id + number});
    INFO(result.err);
    CHECK(result.status == 0);
    both += result.out;
  }
  CHECK((both == "instance 0\ninstance 1\n"
         || both == "instance 1\ninstance 0\n"));
}

TEST_CASE(
    "executors of ended applications are kept as far as the setting says, "
    "also by the next master") {
  HistoryFixture x;
  std::vector<std::string> setting{"--conf",
                                   "stoker.deploy.retainedExecutors=2"};
  x.start_master(setting);
  x.cluster.start_worker();
  auto first = x.run_two();
  auto second = x.run_two();
  auto executors_of = [&](const std::string& id) {
    return x.status_of(id)
        .at("completed_apps")
        .at(0)
        .at("executors")
        .as_array()
        .size();
  };
  CHECK(executors_of(first) == 0);
  CHECK(executors_of(second) == 2);
  x.start_master_again(setting);
  CHECK(executors_of(first) == 0);
  CHECK(executors_of(second) == 2);
  auto gone = x.cluster.run({"logs", first + "/0"});
  check_refusal(gone, 1, "no such executor or driver is known");
}

TEST_CASE("an application that nobody knows is said to be unknown") {
  HistoryFixture x;
  x.start_master();
  check_refusal(x.cluster.run({"status", "--app", "app-20260101000000-0001"}),
                1, "app-20260101000000-0001 is not known here");
}
