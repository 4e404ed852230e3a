// A master is killed, and started again on what it has stored.

#include <algorithm>
#include <string>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/fake_cluster.hpp"
#include "tools/benchmark/master_process.hpp"
#include "tools/benchmark/returning_cluster.hpp"

namespace stoker::benchmark {

namespace {

/// With workers and applications that come back, and one that applies at once.
void recover(MasterProcess& master, ReturningCluster& cluster, int silent,
             int count) {
  auto& tally = cluster.tally();
  auto since_start = [&](BenchClock::time_point when) {
    return seconds_between(master.started_at(), when);
  };
  auto listening = since_start(master.await_port());
  auto newcomer = cluster.add_app(one_executor);
  auto read = since_start(master.await_log("RECOVERING at"));
  auto alive = since_start(master.await_log("ALIVE at"));
  auto executor = since_start(newcomer.heard->executors.await());
  tally.workers_told.await();
  tally.apps_told.await();
  auto cpu = master.use().cpu_seconds;
  auto state = cluster.state(0);
  auto alive_workers = std::count_if(
      state.workers.begin(), state.workers.end(),
      [](const auto& x) { return x.state == WorkerState::ALIVE; });
  auto running_apps = std::count_if(
      state.active_apps.begin(), state.active_apps.end(),
      [](const auto& x) { return x.state == ApplicationState::RUNNING; });
  Figure{"recovery"}
      .text("recovery_mode", "SQLITE")
      .count("silent_workers", silent)
      .count("workers", count)
      .count("apps", count)
      .number("listening_s", listening)
      .number("state_read_s", read)
      .number("new_app_registered_s",
              since_start(newcomer.heard->registered_at))
      .number("alive_s", alive)
      .number("new_app_first_executor_s", executor)
      .number("master_cpu_s", cpu)
      .count("alive_workers", alive_workers)
      .count("running_apps", running_apps)
      .print();
}

/// Fills a store, and leaves it as a kill does.
void fill(ActorNetwork& network, const std::string& data, int workers,
          int apps) {
  MasterProcess master{{.durable = true, .data = data}};
  master.await_port();
  FakeCluster cluster{network, master.address()};
  auto& tally = cluster.tally();
  auto executors = workers > 0 ? apps : 0;
  if (workers > 0)
    cluster.register_all(
        cluster.make_workers(workers, apps / workers, 1024 * 1024));
  tally.apps_registered.expect(apps);
  tally.executors_running.expect(executors);
  for (const auto& app : cluster.make_apps(apps, one_executor))
    cluster.say(app, app.registration);
  tally.apps_registered.await();
  tally.executors_running.await();
  master.kill();
}

void restart_on(ActorNetwork& network, int workers, int apps) {
  TemporaryDirectory data;
  fill(network, data.path(), workers, apps);
  auto disk_mb = static_cast<double>(size_of_files(data.path())) / 1e6;
  MasterProcess master{{.durable = true, .data = data.path()}};
  auto listening = seconds_between(master.started_at(), master.await_port());
  // Nobody comes back: it is loaded, and waits for all of them.
  auto read
      = seconds_between(master.started_at(), master.await_log("RECOVERING at"));
  auto use = master.use();
  Figure{"restart"}
      .text("recovery_mode", "SQLITE")
      .count("workers", workers)
      .count("apps", apps)
      .count("executors", workers > 0 ? apps : 0)
      .number("disk_mb", disk_mb)
      .number("listening_s", listening)
      .number("state_read_s", read)
      .number("cpu_s", use.cpu_seconds)
      .number("rss_mb", use.rss_bytes / 1e6)
      .print();
}

} // namespace

void recovery(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  auto count = extent.of(1000, 20);
  TemporaryDirectory data;
  MasterRecipe recipe{.durable = true, .data = data.path()};
  if (extent.quick)
    recipe.settings = {"spark.deploy.recoveryTimeout=1s"};
  MasterProcess first{recipe};
  first.await_log("ALIVE at");
  // Started again where workers and applications look for it.
  recipe.port = first.address().port;
  ReturningCluster cluster{network, {first.address()}};
  cluster.add_workers(count, 8, 64 * 1024);
  cluster.add_apps(count, one_executor);
  Figure{"recovery_state"}
      .text("recovery_mode", "SQLITE")
      .count("workers", count)
      .count("apps", count)
      .number("disk_mb", static_cast<double>(size_of_files(data.path())) / 1e6)
      .print();
  cluster.expect_return();
  first.kill();
  MasterProcess second{recipe};
  recover(second, cluster, 0, count);
  second.kill();
  // Waits for it for spark.deploy.recoveryTimeout.
  cluster.drop_worker();
  cluster.expect_return();
  MasterProcess third{recipe};
  recover(third, cluster, 1, count);
}

void restart(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  auto apps = extent.of(10'000, 100);
  for (auto workers : {0, extent.of(100, 10)})
    restart_on(network, workers, apps);
}

} // namespace stoker::benchmark
