// What workers and applications cost in memory.

#include <unistd.h>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/fake_cluster.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

/// Of a master process, with one actor's handle for each of them.
void memory_at(ActorNetwork& network, int count) {
  MasterProcess master;
  master.await_port();
  FakeCluster cluster{network, master.address()};
  cluster.drain();
  auto empty = master.use().rss_bytes;
  cluster.register_all(cluster.make_workers(count, 8, 64 * 1024));
  cluster.drain();
  auto use = master.use();
  Figure{"memory"}
      .count("workers", count)
      .number("rss_mb", use.rss_bytes / 1e6)
      .number("threads", use.threads)
      .number("bytes_per_worker", (use.rss_bytes - empty) / count)
      .print();
  // Larger than any worker: they wait, which is what large numbers do.
  auto apps = cluster.make_apps(count, {1, 16, 512});
  cluster.tally().apps_registered.expect(count);
  for (const auto& app : apps)
    cluster.say(app, app.registration);
  cluster.tally().apps_registered.await();
  cluster.drain();
  auto with_apps = master.use().rss_bytes;
  Figure{"memory"}
      .count("workers", count)
      .count("waiting", count)
      .number("rss_mb", with_apps / 1e6)
      .number("bytes_per_app", (with_apps - use.rss_bytes) / count)
      .print();
}

} // namespace

void memory(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  if (extent.quick)
    return memory_at(network, 100);
  for (auto count : {1000, 10'000})
    memory_at(network, count);
}

void memory_core(Extent extent) {
  auto count = extent.of(100'000, 1000);
  auto rss = [] { return use_of(::getpid()).rss_bytes; };
  auto empty = rss();
  CoreCluster cluster{core_config(true), count, 8, 64 * 1024};
  auto with_workers = rss();
  cluster.add_apps(count, {1, 16, 512});
  auto with_waiting = rss();
  (void)cluster.add_app({count, 1, 512});
  auto with_executors = rss();
  Figure{"memory_core"}
      .count("workers", count)
      .number("bytes_per_worker", (with_workers - empty) / count)
      .number("bytes_per_waiting_app", (with_waiting - with_workers) / count)
      .number("bytes_per_executor", (with_executors - with_waiting) / count)
      .print();
}

} // namespace stoker::benchmark
