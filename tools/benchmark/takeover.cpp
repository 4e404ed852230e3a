// A leader is killed, and a standby master on the same data directory goes on.

#include <algorithm>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/master_process.hpp"
#include "tools/benchmark/returning_cluster.hpp"

namespace stoker::benchmark {

namespace {

/// Seconds since the leader was killed, one sample for each takeover.
struct Takeovers {
  Samples recovering, alive, apps_told, workers_told, cpu;
  std::int64_t disturbed = 0;
  std::int64_t alive_workers = 0;
  std::int64_t running_apps = 0;
};

void take_over(ActorNetwork& network, int count, Takeovers& out) {
  TemporaryDirectory data;
  MasterProcess leader{{.durable = true, .data = data.path()}};
  leader.await_log("ALIVE at");
  MasterProcess standby{{.durable = true, .data = data.path()}};
  standby.await_log("STANDBY: ");
  standby.await_port();
  ReturningCluster cluster{network, {leader.address(), standby.address()}};
  cluster.add_workers(count, 8, 64 * 1024);
  cluster.add_apps(count, {1, 1, 512});
  auto& tally = cluster.tally();
  auto before = tally.starts + tally.ends;
  cluster.expect_return();
  auto cpu = standby.use().cpu_seconds;
  auto killed = leader.kill();
  out.recovering.add(
      seconds_between(killed, standby.await_log("RECOVERING at")));
  out.alive.add(seconds_between(killed, standby.await_log("ALIVE at")));
  out.apps_told.add(seconds_between(killed, tally.apps_told.await()));
  out.workers_told.add(seconds_between(killed, tally.workers_told.await()));
  out.cpu.add(standby.use().cpu_seconds - cpu);
  // Answered behind all that the new leader has said so far.
  auto state = cluster.state(1);
  out.disturbed += tally.starts + tally.ends - before;
  out.alive_workers = std::count_if(
      state.workers.begin(), state.workers.end(),
      [](const auto& x) { return x.state == WorkerState::ALIVE; });
  out.running_apps = std::count_if(
      state.active_apps.begin(), state.active_apps.end(), [](const auto& x) {
        return std::any_of(
            x.executors.begin(), x.executors.end(),
            [](const auto& y) { return y.state == ExecutorState::RUNNING; });
      });
}

} // namespace

void takeover(Extent extent) {
  ActorNetwork network{TlsConfig{}};
  auto count = extent.of(1000, 20);
  Takeovers takeovers;
  for (int i = 0; i < extent.of(3, 1); ++i)
    take_over(network, count, takeovers);
  Figure{"takeover"}
      .text("recovery_mode", "SQLITE")
      .count("workers", count)
      .count("apps", count)
      .number("recovering_s", takeovers.recovering.median())
      .number("alive_s", takeovers.alive.median())
      .number("alive_max_s", takeovers.alive.max())
      .number("workers_told_s", takeovers.workers_told.median())
      .number("apps_told_s", takeovers.apps_told.median())
      .number("apps_told_max_s", takeovers.apps_told.max())
      .number("master_cpu_s", takeovers.cpu.median())
      .count("executors_disturbed", takeovers.disturbed)
      .count("alive_workers", takeovers.alive_workers)
      .count("running_apps", takeovers.running_apps)
      .print();
}

} // namespace stoker::benchmark
