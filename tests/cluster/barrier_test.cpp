// Barrier stages of programs: they start together, wait for each other, and are tried
// again together.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/cluster/job_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace {

/// Four cores, on two workers.
struct BarrierJobs : JobCluster {
  BarrierJobs() : JobCluster(0) {
    start_local({"--workers", "2", "--cores", "2", "--memory", "2g"});
  }

  /// A barrier stage of four tasks that run these words of a shell.
  [[nodiscard]] std::string gang(const std::string& words,
                                 const std::string& more = {}) const {
    return std::string{range_of_4} + "[\"sh\", \"-c\", \"" + words
           + "\"], \"barrier\": true, " + here() + more
           + ", \"env\": {\"STOKER\": \"" + STOKER_PROGRAM + "\"}}";
  }

  /// Waits until a task of the attempt says that it runs.
  [[nodiscard]] bool began(const std::string& task, int attempt) const {
    auto file = path("began-" + task + '-' + std::to_string(attempt));
    return eventually([&] { return std::filesystem::exists(file); });
  }
};

bool has_python() {
  return std::system("python3 -c 'pass' 2> /dev/null") == 0;
}

} // namespace

TEST_CASE("programs of a barrier stage wait for each other, and hear what each "
          "says") {
  BarrierJobs cluster;
  auto result = cluster.run_job(cluster.gang(
      "$STOKER barrier; $STOKER barrier --all-gather r$RANK/$WORLD_SIZE | "
      "tr '\\\\n' ' '; $STOKER barrier --tasks | wc -l"));
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out)
        == std::vector<std::string>(4, "r0/4 r1/4 r2/4 r3/4 4"));
}

TEST_CASE("the small program for barriers does what the command does") {
  std::string small = STOKER_PROGRAM "-barrier";
  BarrierJobs cluster;
  auto result = cluster.run_job(
      cluster.gang("$STOKER-barrier; $STOKER-barrier --all-gather r$RANK | "
                   "tr '\\\\n' ' '; $STOKER-barrier --tasks | wc -l"));
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out) == std::vector<std::string>(4, "r0 r1 r2 r3 4"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{},
        {"--help"},
        {"--help-all"},
        {"word"},
        {"--tasks", "--all-gather", "x"},
        {"--all-gather"}}) {
    auto of_small = words, of_large = words;
    of_small.insert(of_small.begin(), small);
    of_large.insert(of_large.begin(), {STOKER_PROGRAM, "barrier"});
    auto one = cluster.start(of_small).result();
    auto other = cluster.start(of_large).result();
    INFO(one.err << one.out);
    CHECK(one.status == other.status);
    CHECK(one.out == other.out);
    CHECK(one.err == other.err);
  }
}

TEST_CASE("programs in Python wait for each other") {
  if (!has_python())
    return skip("python3 is not there");
  BarrierJobs cluster;
  std::ofstream{cluster.path("program.py")}
      << "import stoker_barrier as barrier\n"
         "barrier.barrier()\n"
         "task = barrier.BarrierTaskContext.get()\n"
         "said = task.allGather('p%d' % task.partitionId())\n"
         "print(said, len(task.getTaskInfos()))\n";
  auto result = cluster.run_job(std::string{range_of_4}
                                + R"(["python3", "-B", "program.py"],
        "barrier": true, )" + cluster.here()
                                + R"(, "env": {"PYTHONPATH": ")" STOKER_ROOT
                                  "/python\"}}");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out)
        == std::vector<std::string>(4, "['p0', 'p1', 'p2', 'p3'] 4"));
}

TEST_CASE("a failed program ends all of its barrier stage, with all that they "
          "have started") {
  BarrierJobs cluster;
  auto result = cluster.run_job(
      cluster.gang("if [ $RANK = 1 -a $STOKER_ATTEMPT = 0 ]; then "
                   "$STOKER barrier; exit 3; fi; if [ $STOKER_ATTEMPT = 0 ]; "
                   "then $STOKER barrier; sleep 4711 & wait; fi; "
                   "echo $STOKER_ATTEMPT"));
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out) == std::vector<std::string>(4, "1"));
  CHECK(result.err.find("all tasks of the stage are tried again")
        != std::string::npos);
  CHECK(cluster.running("sleep 4711").empty());
}

TEST_CASE("a barrier stage goes on when an executor is killed") {
  BarrierJobs cluster;
  auto& job = cluster.start_job(
      cluster.gang("echo > began-$RANK-$STOKER_ATTEMPT; "
                   "until [ -e go ]; do sleep 0.02; done; $STOKER barrier && "
                   "echo $STOKER_ATTEMPT"),
      "\"spark.executor.cores\": 2");
  for (auto task : {"0", "1", "2", "3"})
    REQUIRE(cluster.began(task, 0));
  auto executors = cluster.executors();
  REQUIRE(executors.size() == 2);
  ::kill(executors.front(), SIGKILL);
  for (auto task : {"0", "1", "2", "3"})
    REQUIRE(cluster.began(task, 1));
  cluster.go();
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out) == std::vector<std::string>(4, "1"));
}

TEST_CASE("a killed executor leaves no sockets but in its own directory") {
  JobCluster cluster{0};
  cluster.start_master();
  // Too long for the name of a socket.
  std::string work(120, 'w');
  cluster.start_core(work);
  auto socket_of = [&](int attempt) {
    return contents_of(cluster.path("socket-" + std::to_string(attempt)));
  };
  auto& job = cluster.start_job(
      R"({"name": "a", "input": {"range": 1}, "barrier": true, )"
      + cluster.here()
      + R"(, "env": {"STOKER": ")" STOKER_PROGRAM
        R"("}, "command": ["sh", "-c",
        "readlink -f $STOKER_BARRIER_SOCKET > socket; )"
        R"(mv socket socket-$STOKER_ATTEMPT; )"
        R"(until [ -e go ]; do sleep 0.02; done; )"
        R"($STOKER barrier --tasks"]})");
  REQUIRE(eventually([&] { return !socket_of(0).empty(); }));
  auto executors = cluster.executors();
  REQUIRE(executors.size() == 1);
  ::kill(executors.front(), SIGKILL);
  REQUIRE(eventually([&] { return !socket_of(1).empty(); }));
  cluster.go();
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out).size() == 1);
  CHECK(socket_of(0).starts_with(cluster.path(work)));
  CHECK(socket_of(1).starts_with(cluster.path(work)));
}

TEST_CASE("a barrier stage that there is no room for says what it needs") {
  BarrierJobs cluster;
  auto result = cluster.run_job(
      R"({"name": "a", "input": {"range": 8}, "barrier": true,
          "command": ["true"]})");
  INFO(result.err);
  CHECK(result.status != 0);
  CHECK(result.err.find("8 executors") != std::string::npos);
  auto limited = cluster.run_job(
      R"({"name": "a", "input": {"range": 8}, "barrier": true,
          "command": ["true"]})",
      {"--conf", "spark.cores.max=6"});
  CHECK(limited.status == 2);
  CHECK(limited.err
        == "stoker: barrier stage 'a' needs 8 slots of 1 core at once, and "
           "spark.cores.max=6 allows 6\n");
}

TEST_CASE(
    "a barrier stage with executors that follow the load gets all of them "
    "at once") {
  BarrierJobs cluster;
  auto result
      = cluster.run_job(cluster.gang("$STOKER barrier && echo $RANK"),
                        {"--conf", "spark.dynamicAllocation.enabled=true"});
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out) == std::vector<std::string>{"0", "1", "2", "3"});
}
