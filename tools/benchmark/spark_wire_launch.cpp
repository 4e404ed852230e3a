// One application of Spark's with many executors.

#include <algorithm>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/spark_wire_cluster.hpp"
#include "tools/benchmark/spark_wire_master.hpp"

namespace stoker::benchmark {

namespace {

void launch_on_wire(const WireSystem& system, int workers, int executors) {
  WireMaster master{system, {}};
  master.await_leading();
  WireCluster cluster{*system.table, master.address()};
  auto all = cluster.make_workers(workers, 2 * executors / workers, 64 * 1024);
  cluster.register_all(all);
  cluster.drain(all);
  auto drivers = cluster.make_drivers(1, {executors, 1, 512});
  const auto& app = *drivers.front();
  auto& tally = cluster.tally();
  WireMeter meter{master};
  drivers.front()->register_it();
  cluster.until("executors are there", tally.executors_added, executors);
  auto added = seconds_between(app.sent_at(), tally.executors_added.last_at);
  cluster.until("executors run", tally.executors_running, executors);
  cluster.until("executors are reported", tally.running_reports, executors);
  auto running
      = seconds_between(app.sent_at(), std::max(tally.executors_running.last_at,
                                                tally.running_reports.last_at));
  Figure{"spark_launch", system.peer}
      .count("workers", workers)
      .count("executors", executors)
      .number("first_executor_s",
              seconds_between(app.sent_at(), app.first_executor_at()))
      .number("last_executor_s", added)
      .number("all_running_s", running)
      .number("rate", executors / added)
      .number("running_rate", executors / running)
      .number("master_cpu_us_per_op", meter.master_seconds() * 1e6 / executors)
      .number("client_cpu_us_per_op", meter.own_seconds() * 1e6 / executors)
      .print();
}

} // namespace

void spark_launch(Extent extent) {
  for (const auto& system : wire_systems()) {
    launch_on_wire(system, extent.of(1000, 10), extent.of(10'000, 50));
    if (!extent.quick)
      launch_on_wire(system, 10'000, 10'000);
  }
}

} // namespace stoker::benchmark
