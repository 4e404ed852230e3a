// Seeds of all scenarios: simulation/simulation.hpp.

#include "simulation/simulation.hpp"

#include "tests/support/catch.hpp"

using namespace stoker::simulation;

TEST_CASE("no seed breaks a promise", "[simulation]") {
  // Short enough for every change; stoker-sim looks at as many as one has time
  // for.
  constexpr std::uint64_t seeds = 400;
  for (const auto& name : scenario_names())
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      auto outcome = run(invent(name, seed));
      INFO("stoker-sim --scenario " << name << " --seeds " << seed);
      REQUIRE(outcome.violation.value_or("") == "");
    }
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

TEST_CASE("scenarios cover every event of a master and every fault",
          "[simulation]") {
  Stats stats;
  for (std::uint64_t seed = 1; seed <= 120; ++seed)
    stats.add(run(invent("mixed", seed)).stats);
  auto counts = stats.all();
  for (const auto* event : {"ElectedLeader",
                            "CheckForWorkerTimeOut",
                            "EndpointLost",
                            "RegisterWorker",
                            "Heartbeat",
                            "WorkerLatestState",
                            "WorkerSchedulerStateResponse",
                            "WorkerDecommissioning",
                            "ExecutorStateChanged",
                            "DriverStateChanged",
                            "RegisterApplication",
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
       {"crash-master", "pause-master", "replace-lock", "disk-full",
        "disk-error", "disk-slow", "break-links", "isolate-worker",
        "isolate-master", "crash-worker", "crash-machine", "clock-jump"}) {
    INFO(item);
    CHECK(counts[std::string{"item: "} + item] > 0);
  }
  CHECK(counts["masters that stepped down"] > 0);
  CHECK(counts["programs adopted"] > 0);
}
