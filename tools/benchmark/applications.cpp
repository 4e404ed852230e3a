// Small applications at a master over loopback: alone, and in bursts.

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/fake_cluster.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

/// Applications register at once, get their executors, and then all leave.
class Burst {
public:
  Burst(MasterProcess& master, FakeCluster& cluster, int count) {
    auto apps = cluster.make_apps(count, two_executors);
    auto& tally = cluster.tally();
    auto n = static_cast<double>(count);
    tally.apps_registered.expect(count);
    tally.executors_running.expect(count * two_executors.executors);
    auto cpu = master.use().cpu_seconds;
    auto start = BenchClock::now();
    for (const auto& app : apps)
      cluster.say(app, app.registration);
    rate = n / seconds_between(start, tally.apps_registered.await());
    running_rate = n / seconds_between(start, tally.executors_running.await());
    auto cpu_between = master.use().cpu_seconds;
    cpu_us = (cpu_between - cpu) * 1e6 / n;
    tally.executors_killed.expect(count * two_executors.executors);
    start = BenchClock::now();
    for (const auto& app : apps)
      FakeCluster::leave(app);
    finish_rate = n / seconds_between(start, tally.executors_killed.await());
    finish_cpu_us = (master.use().cpu_seconds - cpu_between) * 1e6 / n;
    for (const auto& app : apps)
      FakeCluster::disconnect(app);
    cluster.drain();
  }

  double rate = 0;
  double running_rate = 0;
  double finish_rate = 0;
  double cpu_us = 0;
  double finish_cpu_us = 0;
};

void print(const std::vector<Burst>& bursts, bool durable, const char* master,
           int workers, int apps) {
  Samples rate, running, finish, cpu, finish_cpu;
  for (const auto& x : bursts) {
    rate.add(x.rate);
    running.add(x.running_rate);
    finish.add(x.finish_rate);
    cpu.add(x.cpu_us);
    finish_cpu.add(x.finish_cpu_us);
  }
  Figure{"register_apps"}
      .text("recovery_mode", durable ? "SQLITE" : "NONE")
      .text("log", "INFO")
      .text("master", master)
      .count("workers", workers)
      .count("apps", apps)
      .number("rate", rate.median())
      .number("rate_best", rate.max())
      .number("running_rate", running.median())
      .number("running_rate_best", running.max())
      .number("master_cpu_us_per_op", cpu.median())
      .number("finish_rate", finish.median())
      .number("finish_cpu_us_per_op", finish_cpu.median())
      .print();
}

/// One application at a time, at an otherwise idle cluster.
void latency(ActorNetwork& network, Extent extent, int count) {
  MasterProcess master;
  master.await_port();
  FakeCluster cluster{network, master.address()};
  auto workers = cluster.make_workers(count, 8, 64 * 1024);
  cluster.register_all(workers);
  auto& tally = cluster.tally();
  Samples registered, first, running, finished;
  auto warm_up = extent.of(100, 2);
  auto total = warm_up + extent.of(500, 5);
  double cpu = 0;
  for (int i = 0; i < total; ++i) {
    if (i == warm_up)
      cpu = master.use().cpu_seconds;
    auto app = cluster.make_apps(1, two_executors).front();
    tally.apps_registered.expect(1);
    tally.executors_added.expect(two_executors.executors);
    tally.executors_running.expect(two_executors.executors);
    auto start = BenchClock::now();
    cluster.say(app, app.registration);
    auto running_at = tally.executors_running.await();
    tally.apps_registered.await();
    tally.executors_added.await();
    tally.executors_killed.expect(two_executors.executors);
    auto leave = BenchClock::now();
    FakeCluster::leave(app);
    auto finished_at = tally.executors_killed.await();
    FakeCluster::disconnect(app);
    if (i < warm_up)
      continue;
    registered.add(seconds_between(start, app.heard->registered_at));
    first.add(seconds_between(start, app.heard->first_executor_at));
    running.add(seconds_between(start, running_at));
    finished.add(seconds_between(leave, finished_at));
  }
  auto samples = static_cast<double>(registered.size());
  Figure{"app_latency"}
      .count("workers", count)
      .number("samples", samples)
      .latency("registered", registered)
      .latency("first_executor", first)
      .latency("executors_running", running)
      .latency("finished", finished)
      .number("master_cpu_ms_per_app",
              (master.use().cpu_seconds - cpu) * 1e3 / samples)
      .print();
}

void bursts(ActorNetwork& network, bool durable, Extent extent) {
  constexpr int workers = 100;
  MasterProcess master{{.durable = durable}};
  master.await_port();
  FakeCluster cluster{network, master.address()};
  cluster.register_all(cluster.make_workers(workers, 64, 64 * 1024));
  auto apps = extent.of(200, 20);
  print({Burst{master, cluster, apps}}, durable, "cold", workers, apps);
  std::vector<Burst> warm;
  for (int i = 0; i < extent.of(10, 2); ++i)
    warm.emplace_back(master, cluster, apps);
  print({warm.end() - extent.of(5, 1), warm.end()}, durable, "warm", workers,
        apps);
  apps = extent.of(1500, 30);
  print({Burst{master, cluster, apps}}, durable, "warm", workers, apps);
}

} // namespace

void register_apps(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  for (auto durable : {false, true})
    bursts(network, durable, extent);
}

void app_latency(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  for (auto count :
       extent.quick ? std::vector<int>{10} : std::vector<int>{10, 1000, 10'000})
    latency(network, extent, count);
}

} // namespace stoker::benchmark
