// Applications of Spark's: one at a time, and many at once.

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/spark_wire_cluster.hpp"
#include "tools/benchmark/spark_wire_master.hpp"

namespace stoker::benchmark {

namespace {

constexpr WireAppSize usual_wire_app{2, 1, 512};

/// Registered, and all executors are reported, with their drivers told so.
void await_running(WireCluster& cluster, std::int64_t executors) {
  cluster.until("executors run", cluster.tally().executors_running, executors);
  cluster.until("executors are reported", cluster.tally().running_reports,
                executors);
}

struct WireLatencies {
  Samples registered;
  Samples first_executor;
  Samples running;
  Samples finished;
};

/// It comes, has its executors and goes.
void visit(WireCluster& cluster, WireLatencies& out) {
  auto& tally = cluster.tally();
  auto drivers = cluster.make_drivers(1, usual_wire_app);
  auto& app = *drivers.front();
  auto executors = tally.running_reports.value + usual_wire_app.executors;
  app.register_it();
  await_running(cluster, executors);
  out.registered.add(seconds_between(app.sent_at(), app.registered_at()));
  out.first_executor.add(
      seconds_between(app.sent_at(), app.first_executor_at()));
  out.running.add(seconds_between(app.sent_at(), app.all_running_at()));
  // The master may still be busy with the report of the last one.
  cluster.drain(drivers);
  auto begin = BenchClock::now();
  app.unregister();
  cluster.until("executors are killed", tally.killed_reports, executors);
  out.finished.add(seconds_between(begin, tally.killed_reports.last_at));
  cluster.drain(drivers);
}

void measure_visits(const WireSystem& system, int workers, int before,
                    int count) {
  WireMaster master{system, {}};
  master.await_leading();
  WireCluster cluster{*system.table, master.address()};
  auto all = cluster.make_workers(workers, 8, 64 * 1024);
  cluster.register_all(all);
  cluster.drain(all);
  WireLatencies ignored;
  for (int i = 0; i < before; ++i)
    visit(cluster, ignored);
  constexpr std::chrono::seconds enough{20};
  constexpr std::size_t least = 3;
  auto deadline = BenchClock::now() + enough;
  WireMeter meter{master};
  WireLatencies out;
  for (int i = 0;
       i < count
       && (i < static_cast<int>(least) || BenchClock::now() < deadline);
       ++i)
    visit(cluster, out);
  auto samples = static_cast<double>(out.registered.size());
  Figure{"spark_app_latency", system.peer}
      .count("workers", workers)
      .count("samples", static_cast<std::int64_t>(samples))
      .latency("registered", out.registered)
      .latency("first_executor", out.first_executor)
      .latency("executors_running", out.running)
      .latency("finished", out.finished)
      .number("master_cpu_ms_per_app", meter.master_seconds() * 1e3 / samples)
      .number("client_cpu_ms_per_app", meter.own_seconds() * 1e3 / samples)
      .print();
}

// -- many at once -------------------------------------------------------------

struct WireAppBursts {
  Samples registered;
  Samples running;
  Samples finished;
  double master_seconds = 0;
  double own_seconds = 0;
};

void burst_of_apps(const WireMaster& master, WireCluster& cluster, int apps,
                   WireAppBursts& out) {
  auto& tally = cluster.tally();
  auto drivers = cluster.make_drivers(apps, usual_wire_app);
  auto registered = tally.apps_registered.value + apps;
  auto executors = tally.running_reports.value
                   + std::int64_t{apps} * usual_wire_app.executors;
  WireMeter meter{master};
  auto begin = BenchClock::now();
  for (const auto& driver : drivers)
    driver->register_it();
  cluster.until("applications are registered", tally.apps_registered,
                registered);
  out.registered.add(apps
                     / seconds_between(begin, tally.apps_registered.last_at));
  await_running(cluster, executors);
  out.running.add(
      apps
      / seconds_between(begin, std::max(tally.executors_running.last_at,
                                        tally.running_reports.last_at)));
  cluster.drain(drivers);
  begin = BenchClock::now();
  for (const auto& driver : drivers)
    driver->unregister();
  cluster.until("executors are killed", tally.killed_reports, executors);
  out.finished.add(apps / seconds_between(begin, tally.killed_reports.last_at));
  cluster.drain(drivers);
  out.master_seconds += meter.master_seconds();
  out.own_seconds += meter.own_seconds();
}

void print_bursts(const WireSystem& system, const char* master, int workers,
                  int apps, const WireAppBursts& x) {
  auto count = static_cast<double>(x.registered.size()) * apps;
  Figure{"spark_apps", system.peer}
      .text("master", master)
      .count("workers", workers)
      .count("apps", apps)
      .count("samples", static_cast<std::int64_t>(x.registered.size()))
      .number("rate", x.registered.median())
      .number("rate_best", x.registered.max())
      .number("running_rate", x.running.median())
      .number("running_rate_best", x.running.max())
      .number("finish_rate", x.finished.median())
      .number("master_cpu_us_per_op", x.master_seconds * 1e6 / count)
      .number("client_cpu_us_per_op", x.own_seconds * 1e6 / count)
      .print();
}

} // namespace

void spark_app_latency(Extent extent) {
  for (const auto& system : wire_systems()) {
    measure_visits(system, 10, extent.of(500, 1), extent.of(200, 3));
    if (!extent.quick) {
      measure_visits(system, 1000, 100, 200);
      measure_visits(system, 10'000, 2, 200);
    }
  }
}

void spark_apps(Extent extent) {
  auto workers = extent.of(100, 5);
  auto apps = extent.of(200, 5);
  auto rounds_before = extent.of(5, 0);
  for (const auto& system : wire_systems()) {
    WireMaster master{system, {}};
    master.await_leading();
    WireCluster cluster{*system.table, master.address()};
    auto all = cluster.make_workers(workers, 64, 64 * 1024);
    cluster.register_all(all);
    cluster.drain(all);
    WireAppBursts cold;
    burst_of_apps(master, cluster, apps, cold);
    print_bursts(system, "cold", workers, apps, cold);
    WireAppBursts ignored;
    for (int i = 0; i < rounds_before; ++i)
      burst_of_apps(master, cluster, apps, ignored);
    WireAppBursts warm;
    for (int i = 0; i < extent.of(5, 1); ++i)
      burst_of_apps(master, cluster, apps, warm);
    print_bursts(system, "warm", workers, apps, warm);
  }
}

} // namespace stoker::benchmark
