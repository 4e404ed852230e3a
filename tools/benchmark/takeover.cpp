// A leader is killed, and a standby master on the same data directory goes on.

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/master_process.hpp"
#include "tools/benchmark/returning_cluster.hpp"

namespace stoker::benchmark {

namespace {

double alive_workers(const MasterStateResponse& state) {
  return static_cast<double>(std::count_if(
      state.workers.begin(), state.workers.end(),
      [](const auto& x) { return x.state == WorkerState::ALIVE; }));
}

/// Applications with an executor that runs.
double running_apps(const MasterStateResponse& state) {
  auto runs
      = [](const ExecutorInfo& x) { return x.state == ExecutorState::RUNNING; };
  return static_cast<double>(std::count_if(
      state.active_apps.begin(), state.active_apps.end(),
      [&](const ApplicationInfo& x) {
        return std::any_of(x.executors.begin(), x.executors.end(), runs);
      }));
}

/// `patience` is how long the new leader waits for a worker that was connected
/// to the old one.
void take_over(ActorNetwork& network, int count,
               std::chrono::seconds patience) {
  TemporaryDirectory data;
  MasterRecipe recipe{.settings = {"stoker.reconnect.timeout="
                                   + std::to_string(patience.count()) + 's'},
                      .durable = true,
                      .data = data.path()};
  MasterProcess leader{recipe};
  leader.await_log("ALIVE at");
  MasterProcess standby{recipe};
  standby.await_log("STANDBY: ");
  standby.await_port();
  ReturningCluster cluster{network, {leader.address(), standby.address()}};
  cluster.add_workers(count, 8, 64 * 1024);
  cluster.add_apps(count, {1, 1, 512});
  auto& tally = cluster.tally();
  auto disturbed_before = tally.starts + tally.ends;
  cluster.expect_return();
  auto cpu_before = standby.use().cpu_seconds;
  auto killed = leader.kill();
  auto since_kill = [&](BenchClock::time_point when) {
    return seconds_between(killed, when);
  };
  auto recovering = since_kill(standby.await_log("RECOVERING at"));
  auto alive = since_kill(standby.await_log("ALIVE at"));
  auto apps_told = since_kill(tally.apps_told.await());
  auto workers_told = since_kill(tally.workers_told.await());
  auto cpu = standby.use().cpu_seconds - cpu_before;
  // By then whoever is missing is given up, and executors would be lost.
  std::this_thread::sleep_for(patience + std::chrono::seconds{1});
  // Answered behind all that the new leader has said so far.
  auto state = cluster.state(1);
  Figure{"takeover"}
      .text("recovery_mode", "SQLITE")
      .count("workers", count)
      .count("apps", count)
      .number("recovering_s", recovering)
      .number("alive_s", alive)
      .number("workers_told_s", workers_told)
      .number("apps_told_s", apps_told)
      .number("master_cpu_s", cpu)
      .number("executors_disturbed",
              static_cast<double>(tally.starts + tally.ends - disturbed_before))
      .number("alive_workers", alive_workers(state))
      .number("running_apps", running_apps(state))
      .print();
}

} // namespace

void takeover(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  auto count = extent.of(1000, 20);
  auto patience = extent.of(std::chrono::ceil<std::chrono::seconds>(
                                ClusterConfig{}.reconnect_timeout),
                            std::chrono::seconds{5});
  take_over(network, count, patience);
}

} // namespace stoker::benchmark
