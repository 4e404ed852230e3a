// Barrier stages of functions, on clusters of real processes: what their tasks see of
// each other, and what becomes of misuse.

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

using Texts = std::vector<std::string>;

/// Two workers of two cores each: four tasks at once, on two executors.
struct BarrierCluster : Cluster {
  BarrierCluster() {
    start_local({"--workers", "2", "--cores", "2", "--memory", "1g"});
  }

  Result play(const std::string& part) {
    return start({BARRIER_PROGRAM, part}).result();
  }

  /// What a job says that fails.
  std::string problem(const std::string& part) {
    auto result = play(part);
    CHECK(result.status == 1);
    CHECK(result.out.empty());
    auto lines = lines_of(result.err);
    return lines.empty() ? "" : lines.back();
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("tasks of a barrier stage hear what the others say, by partition") {
  BarrierCluster cluster;
  auto result = cluster.play("gather");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out) == Texts(4, "from 0, from 1, from 2, from 3"));
  // An address for each task.
  CHECK(lines_of(cluster.play("infos").out) == Texts(4, "aaaa"));
}

TEST_CASE("a barrier stage reads what more tasks have written than it has, or "
          "nothing") {
  BarrierCluster cluster;
  auto wide = cluster.play("wide");
  INFO(wide.err);
  CHECK(lines_of(wide.out) == Texts(4, "from 0, from 1, from 2, from 3"));
  auto empty = cluster.play("empty");
  INFO(empty.err);
  CHECK(empty.status == 0);
  CHECK(empty.out.empty());
}

TEST_CASE("misuse of a barrier ends in an error that names the tasks") {
  BarrierCluster cluster;
  auto mixed = cluster.problem("mixed");
  INFO(mixed);
  CHECK(contains(mixed, "different calls at one barrier"));
  CHECK(contains(mixed, "ALL_GATHER by task"));
  auto fewer = cluster.problem("fewer");
  INFO(fewer);
  CHECK(contains(fewer, "task 1 has ended, and task"));
  auto less = cluster.problem("less");
  INFO(less);
  CHECK(contains(less, "task 0 has ended, and task"));
  CHECK(contains(less, "barrier number 2 of barrier stage"));
  auto late = cluster.problem("late");
  INFO(late);
  CHECK(contains(late, "task 3 did not come within 1 s to where tasks 0, 1 and "
                       "2 wait"));
  auto plain = cluster.problem("plain");
  INFO(plain);
  CHECK(contains(plain, "this is no task of a barrier stage"));
}

TEST_CASE("a barrier stage is tried again as a whole") {
  BarrierCluster cluster;
  Texts second;
  for (auto task = 0; task < 4; ++task)
    second.push_back(std::to_string(task) + " in attempt 1");
  auto again = cluster.play("again");
  INFO(again.err);
  CHECK(lines_of(again.out) == second);
  // Its executor ends with the task.
  auto dies = cluster.play("dies");
  INFO(dies.err);
  CHECK(lines_of(dies.out) == second);
}

TEST_CASE(
    "a gang gets all of its executors at once beside another application") {
  Sandbox sandbox;
  auto result = sandbox.start({GANG_PROGRAM}).result();
  INFO(result.out << result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out).back() == "y = 3.000 x -2.000");
  // It waits with none, and runs with four.
  CHECK(contains(result.out, "gang ......"));
  CHECK(contains(result.out, "gang ####.."));
}

TEST_CASE("what can never begin together is refused when it is submitted") {
  BarrierCluster cluster;
  CHECK(contains(cluster.problem("speculation"),
                 "set spark.speculation to false"));
  CHECK(cluster.problem("large")
        == "error: barrier stage 'range, barrier, collect' needs 4 slots of 1 "
           "core at once, and spark.cores.max=2 allows 2");
}
