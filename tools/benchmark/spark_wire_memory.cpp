// The memory of a master of workers and drivers of Spark's.

#include <chrono>
#include <thread>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/spark_wire_cluster.hpp"
#include "tools/benchmark/spark_wire_master.hpp"

namespace stoker::benchmark {

namespace {

void print_memory(const WireSystem& system, const WireMaster& master,
                  int workers, int apps) {
  // What has begun is over then, and memory that is given back has been.
  std::this_thread::sleep_for(std::chrono::seconds{1});
  auto use = master.use();
  Figure{"spark_memory", system.peer}
      .count("workers", workers)
      .count("apps", apps)
      .number("rss_mb", use.rss_bytes / 1e6)
      .count("threads", use.threads)
      .print();
}

/// Each application has an executor that runs.
void fill_master(const WireSystem& system, int workers, int apps) {
  WireMaster master{system, {}};
  master.await_leading();
  if (apps == 0)
    print_memory(system, master, 0, 0);
  WireCluster cluster{*system.table, master.address()};
  auto all = cluster.make_workers(workers, 8, 64 * 1024);
  cluster.register_all(all);
  cluster.drain(all);
  auto drivers = cluster.make_drivers(apps, {1, 1, 512});
  for (const auto& driver : drivers)
    driver->register_it();
  cluster.until("executors run", cluster.tally().executors_running, apps);
  cluster.drain(drivers);
  print_memory(system, master, workers, apps);
}

} // namespace

void spark_memory(Extent extent) {
  for (const auto& system : wire_systems()) {
    fill_master(system, extent.of(10'000, 10), 0);
    fill_master(system, extent.of(1000, 5), extent.of(1000, 5));
  }
}

} // namespace stoker::benchmark
