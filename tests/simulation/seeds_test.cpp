// Seeds of all scenarios: simulation/simulation.hpp.

#include <set>
#include <sstream>
#include <string>

#include "simulation/simulation.hpp"
#include "storage/task_replay.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::simulation;

namespace {

#if defined(STOKER_SANITIZED)
/// What a sanitizer looks at needs no more, and takes ten times as long.
constexpr std::uint64_t seeds = 20;
#else
/// Each run of the tests has the same ones, and as many fresh seeds beside them: the
/// test simulation_fresh.
constexpr std::uint64_t seeds = 500;
#endif

void check_seeds(const std::string& scenario) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    auto outcome = run(invent(scenario, seed));
    INFO("stoker-sim --scenario " << scenario << " --seeds " << seed);
    REQUIRE(outcome.violation.value_or("") == "");
  }
}

} // namespace

// A test case for each, so that they can run at the same time.

TEST_CASE("no seed of mixed breaks a promise", "[simulation]") {
  check_seeds("mixed");
}

TEST_CASE("no seed of calm breaks a promise", "[simulation]") {
  check_seeds("calm");
}

TEST_CASE("no seed of crashes breaks a promise", "[simulation]") {
  check_seeds("crashes");
}

TEST_CASE("no seed of network breaks a promise", "[simulation]") {
  check_seeds("network");
}

TEST_CASE("no seed of disk breaks a promise", "[simulation]") {
  check_seeds("disk");
}

TEST_CASE("no seed of leaders breaks a promise", "[simulation]") {
  check_seeds("leaders");
}

TEST_CASE("no seed of rivals breaks a promise", "[simulation]") {
  check_seeds("rivals");
}

TEST_CASE("no seed of stalls breaks a promise", "[simulation]") {
  check_seeds("stalls");
}

TEST_CASE("no seed of flapping breaks a promise", "[simulation]") {
  check_seeds("flapping");
}

TEST_CASE("no seed of handovers breaks a promise", "[simulation]") {
  check_seeds("handovers");
}

TEST_CASE("no seed of elastic breaks a promise", "[simulation]") {
  check_seeds("elastic");
}

TEST_CASE("no seed of gangs breaks a promise", "[simulation]") {
  check_seeds("gangs");
}

TEST_CASE("no seed of jobs breaks a promise", "[simulation]") {
  check_seeds("jobs");
}

TEST_CASE("no seed of barriers breaks a promise", "[simulation]") {
  check_seeds("barriers");
}

TEST_CASE("what a simulated driver of jobs did replays", "[simulation]") {
  for (std::uint64_t seed = 1; seed <= seeds / 10; ++seed) {
    INFO("seed " << seed);
    std::stringstream log;
    auto outcome = run(invent("jobs", seed), nullptr, &log);
    REQUIRE(outcome.violation.value_or("") == "");
    auto replay = stoker::replay_task_log(log);
    CHECK(replay.problem().empty());
    CHECK(replay.steps > 10);
  }
}

TEST_CASE("every scenario has a test case", "[simulation]") {
  std::set<std::string> tested{"mixed",    "calm",      "crashes", "network",
                               "disk",     "leaders",   "rivals",  "stalls",
                               "flapping", "handovers", "elastic", "gangs",
                               "jobs",     "barriers"};
  auto names = scenario_names();
  CHECK(std::set<std::string>{names.begin(), names.end()} == tested);
}

TEST_CASE("the same seed runs in the same way", "[simulation]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto first = run(invent("mixed", seed));
    auto second = run(invent("mixed", seed));
    CHECK(first.digest == second.digest);
    CHECK(first.simulated == second.simulated);
    CHECK(first.stats.all() == second.stats.all());
  }
}

TEST_CASE("different seeds run differently", "[simulation]") {
  CHECK(run(invent("mixed", 1)).digest != run(invent("mixed", 2)).digest);
}

#if !defined(STOKER_SANITIZED)
// It says something of the scenarios, which are the same there.
TEST_CASE("scenarios cover every event of a master and every fault",
          "[simulation]") {
  Stats stats;
  for (std::uint64_t seed = 1; seed <= 120; ++seed)
    stats.add(run(invent("mixed", seed)).stats);
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    stats.add(run(invent("rivals", seed)).stats);
  auto counts = stats.all();
  for (const auto* event : {"ElectedLeader",
                            "LeadershipEnded",
                            "CheckForWorkerTimeOut",
                            "MasterStalled",
                            "EndpointLost",
                            "RegisterWorker",
                            "Heartbeat",
                            "WorkerLatestState",
                            "WorkerSchedulerStateResponse",
                            "WorkerDecommissioning",
                            "WorkerLeft",
                            "ExecutorStateChanged",
                            "DriverStateChanged",
                            "RegisterApplication",
                            "ApplicationHeartbeat",
                            "UnregisterApplication",
                            "MasterChangeAcknowledged",
                            "RequestExecutors",
                            "KillExecutors",
                            "RequestKillApplication",
                            "RequestSubmitDriver",
                            "RequestKillDriver",
                            "DecommissionWorkers",
                            "ReconfigureTenants"}) {
    INFO(event);
    CHECK(counts[std::string{"master: "} + event] > 0);
  }
  for (const auto* item :
       {"crash-master",   "pause-master", "replace-lock",  "disk-full",
        "disk-error",     "disk-slow",    "break-links",   "isolate-worker",
        "isolate-master", "crash-worker", "crash-machine", "clock-jump",
        "overlook-lock",  "pause-leader", "crash-leader",  "isolate-leader",
        "start-read",     "read-slowly",  "stop-reading",  "damage-output"}) {
    INFO(item);
    CHECK(counts[std::string{"item: "} + item] > 0);
  }
  CHECK(counts["masters that stepped down"] > 0);
  CHECK(counts["programs adopted"] > 0);
  for (const auto* what :
       {"outputs delivered", "outputs with a loss", "outputs of lost executors",
        "programs that waited for their reader",
        "programs that waited for the reader of others", "runs that end well",
        "drivers found in a queue", "applications found admitted in part"}) {
    INFO(what);
    CHECK(counts[what] > 0);
  }
}
#endif
