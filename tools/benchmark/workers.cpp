// Workers at a master over loopback: its start, registrations, heartbeats.

#include <algorithm>
#include <thread>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/fake_cluster.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

constexpr int cores = 8;
constexpr std::int64_t memory_mb = 64 * 1024;

/// Registrations at a master that has just started.
void register_cold(ActorNetwork& network, int count, int runs) {
  Samples rate, cpu;
  for (int i = 0; i < runs; ++i) {
    MasterProcess master;
    master.await_port();
    FakeCluster cluster{network, master.address()};
    auto workers = cluster.make_workers(count, cores, memory_mb);
    cluster.drain();
    auto cpu_before = master.use().cpu_seconds;
    auto start = BenchClock::now();
    auto end = cluster.register_all(workers);
    rate.add(count / seconds_between(start, end));
    // Behind the reports that follow registrations.
    cluster.drain();
    cpu.add((master.use().cpu_seconds - cpu_before) * 1e6 / count);
  }
  Figure{"register_workers"}
      .text("master", "cold")
      .count("workers", count)
      .number("rate", rate.median())
      .number("rate_best", rate.max())
      .number("master_cpu_us_per_op", cpu.median())
      .print();
}

/// How many workers the master has, by its own account, heard of since then.
std::int64_t heard_since(FakeCluster& cluster, std::int64_t ms) {
  auto workers = cluster.state().workers;
  return std::count_if(
      workers.begin(), workers.end(),
      [&](const WorkerInfo& x) { return x.last_heartbeat_ms >= ms; });
}

std::int64_t wall_ms() {
  return to_ms(std::chrono::floor<Duration>(std::chrono::system_clock::now()));
}

/// As fast as they go, in rounds that an answer closes.
void heartbeats_burst(MasterProcess& master, FakeCluster& cluster,
                      const std::vector<FakeWorker>& workers, int messages) {
  constexpr int warm_up = 2;
  constexpr int rounds = 5;
  auto each = std::max<std::size_t>(1, static_cast<std::size_t>(messages)
                                           / workers.size());
  auto sent = static_cast<double>(each * workers.size());
  Samples rate, cpu;
  std::int64_t last_round = 0;
  for (int i = 0; i < warm_up + rounds; ++i) {
    last_round = wall_ms();
    auto cpu_before = master.use().cpu_seconds;
    auto start = BenchClock::now();
    for (std::size_t j = 0; j < each; ++j)
      for (const auto& worker : workers)
        cluster.say(worker, Heartbeat{worker.registration.id,
                                      worker.registration.worker});
    auto end = cluster.drain();
    if (i < warm_up)
      continue;
    rate.add(sent / seconds_between(start, end));
    cpu.add((master.use().cpu_seconds - cpu_before) * 1e6 / sent);
  }
  Figure{"heartbeats"}
      .count("workers", static_cast<std::int64_t>(workers.size()))
      .number("rate", rate.median())
      .number("rate_best", rate.max())
      .number("master_cpu_us_per_op", cpu.median())
      .number("workers_seen",
              static_cast<double>(heard_since(cluster, last_round)))
      .print();
}

/// As real workers send them: each every 15 seconds. `rate` is what came of it:
/// so many had been handled per second when the time was over.
void heartbeats_paced(MasterProcess& master, FakeCluster& cluster,
                      const std::vector<FakeWorker>& workers, double seconds) {
  auto per_second = static_cast<double>(workers.size()) / 15;
  auto count = static_cast<std::size_t>(per_second * seconds);
  auto cpu_before = master.use().cpu_seconds;
  auto start = BenchClock::now();
  auto await_turn = [&](std::size_t i) {
    std::chrono::duration<double> after{static_cast<double>(i) / per_second};
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<BenchClock::duration>(after));
  };
  for (std::size_t i = 0; i < count; ++i) {
    await_turn(i);
    const auto& worker = workers[i % workers.size()];
    cluster.say(worker,
                Heartbeat{worker.registration.id, worker.registration.worker});
  }
  await_turn(count);
  auto took = seconds_between(start, cluster.drain());
  Figure{"heartbeats_paced"}
      .count("workers", static_cast<std::int64_t>(workers.size()))
      .number("rate", static_cast<double>(count) / took)
      .number("master_cpu_percent",
              (master.use().cpu_seconds - cpu_before) * 100 / took)
      .print();
}

} // namespace

void startup(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  Samples listening, registered, cpu, rss;
  auto threads = 0;
  for (int i = 0; i < extent.of(5, 1); ++i) {
    MasterProcess master;
    listening.add(seconds_between(master.started_at(), master.await_port()));
    FakeCluster cluster{network, master.address()};
    auto end = cluster.register_all(cluster.make_workers(1, 1, 1024));
    registered.add(seconds_between(master.started_at(), end));
    auto use = master.use();
    cpu.add(use.cpu_seconds);
    rss.add(use.rss_bytes);
    threads = use.threads;
  }
  Figure{"startup"}
      .text("via", "stoker")
      .number("listening_s", listening.median())
      .number("registered_s", registered.median())
      .number("registered_min_s", registered.min())
      .number("cpu_s", cpu.median())
      .number("idle_rss_mb", rss.median() / 1e6)
      .number("idle_threads", threads)
      .print();
}

void register_workers(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  if (extent.quick)
    return register_cold(network, 100, 1);
  for (auto count : {1000, 4000, 10'000})
    register_cold(network, count, 2);
}

void heartbeats(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  for (auto count : extent.quick ? std::vector<int>{100}
                                 : std::vector<int>{10, 1000, 10'000}) {
    MasterProcess master;
    master.await_port();
    FakeCluster cluster{network, master.address()};
    auto workers = cluster.make_workers(count, cores, memory_mb);
    cluster.register_all(workers);
    heartbeats_burst(master, cluster, workers, extent.of(30'000, 1000));
    if (count >= 100)
      heartbeats_paced(master, cluster, workers, extent.of(6.0, 0.2));
  }
}

} // namespace stoker::benchmark
