// Workers that nobody can reach for a while, and that come back: what they did
// meanwhile counts, and what they run goes on.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// Workers that stop while each runs an instance, as if none could be reached.
struct SilentWorkers {
  Cluster cluster;
  std::vector<Process*> workers;
  Process* run = nullptr;

  explicit SilentWorkers(int count) {
    const std::vector<std::string> timeout{"--conf", "spark.worker.timeout=2s"};
    cluster.start_master(timeout);
    for (int i = 0; i < count; ++i)
      workers.push_back(cluster.start_worker(timeout).process);
    run = &cluster.start_script(count, "echo $$ >> " + starts()
                                           + "; echo before; until [ -e "
                                           + cluster.path("go")
                                           + " ]; do sleep 0.05; done; "
                                             "echo after; echo > "
                                           + cluster.path("over"));
    REQUIRE(
        eventually([&] { return std::ssize(lines_of(run->out())) == count; }));
    send(SIGSTOP);
  }

  [[nodiscard]] std::string starts() const {
    return cluster.path("starts");
  }

  void send(int signal) const {
    for (auto* worker : workers)
      worker->send(signal);
  }

  void let_go() const {
    std::ofstream{cluster.path("go")};
  }

  [[nodiscard]] bool all_are(const char* state) {
    auto states = values_of(cluster.status().at("workers"), "state");
    return states == std::vector<std::string>(workers.size(), state);
  }

  void check_that_each_ran_once() {
    auto result = run->result();
    INFO(result.err);
    CHECK(result.status == 0);
    auto count = std::ssize(workers);
    CHECK(std::ssize(lines_of(contents_of(starts()))) == count);
    auto lines = lines_of(result.out);
    std::sort(lines.begin(), lines.end());
    CHECK(std::count(lines.begin(), lines.end(), "before") == count);
    CHECK(std::count(lines.begin(), lines.end(), "after") == count);
  }
};

} // namespace

TEST_CASE("an instance goes on when its worker comes back") {
  SilentWorkers silent{1};
  REQUIRE(eventually([&] { return silent.all_are("DEAD"); }));
  silent.send(SIGCONT);
  REQUIRE(eventually([&] { return silent.all_are("ALIVE"); }));
  silent.let_go();
  silent.check_that_each_ran_once();
}

TEST_CASE("what an instance did while its worker was lost counts") {
  SilentWorkers silent{1};
  REQUIRE(eventually([&] { return silent.all_are("DEAD"); }));
  silent.let_go();
  REQUIRE(eventually(
      [&] { return std::filesystem::exists(silent.cluster.path("over")); }));
  silent.send(SIGCONT);
  silent.check_that_each_ran_once();
}

TEST_CASE("workers that all fall silent at once are not lost") {
  SilentWorkers silent{3};
  REQUIRE(eventually([&] { return silent.all_are("UNKNOWN"); }));
  silent.send(SIGCONT);
  REQUIRE(eventually([&] { return silent.all_are("ALIVE"); }));
  silent.let_go();
  silent.check_that_each_ran_once();
}
