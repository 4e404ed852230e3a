// Workers of Spark's that register all at once.

#include <chrono>
#include <cstdint>
#include <thread>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/spark_wire_cluster.hpp"
#include "tools/benchmark/spark_wire_master.hpp"
#include "tools/benchmark/spark_wire_page.hpp"

namespace stoker::benchmark {

namespace {

/// What bursts of one kind have taken.
struct WireBursts {
  Samples rates;
  double master_seconds = 0;
  double own_seconds = 0;

  void print(const WireSystem& system, const char* pages, const char* master,
             int workers) const {
    auto count = static_cast<double>(rates.size()) * workers;
    Figure{"spark_registrations", system.peer}
        .text("pages", pages)
        .text("master", master)
        .count("workers", workers)
        .count("samples", static_cast<std::int64_t>(rates.size()))
        .number("rate", rates.median())
        .number("rate_best", rates.max())
        .number("master_cpu_us_per_op", master_seconds * 1e6 / count)
        .number("client_cpu_us_per_op", own_seconds * 1e6 / count)
        .print();
  }
};

void register_burst(const WireMaster& master, WireCluster& cluster, int count,
                    WireBursts& out) {
  auto workers = cluster.make_workers(count, 8, 64 * 1024);
  WireMeter meter{master};
  auto begin = BenchClock::now();
  out.rates.add(count / seconds_between(begin, cluster.register_all(workers)));
  // What they report when they are registered is part of it.
  cluster.drain(workers);
  out.master_seconds += meter.master_seconds();
  out.own_seconds += meter.own_seconds();
}

/// Those of the last burst have gone. Looked at seldom: it is a large page.
void await_empty(const WireMaster& master) {
  WirePage page{master.web_port()};
  while (alive_workers_of(page) > 0)
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
}

void measure_bursts(const WireSystem& system, WireCluster::Pages pages,
                    int workers, int bursts) {
  const auto* shown = pages == WireCluster::Pages::none ? "none" : "answered";
  WireMaster master{system, {}};
  master.await_leading();
  WireCluster cluster{*system.table, master.address(), pages};
  WireBursts cold;
  register_burst(master, cluster, workers, cold);
  cold.print(system, shown, "cold", workers);
  WireBursts warm;
  for (int i = 0; i < bursts; ++i) {
    await_empty(master);
    // A master keeps those that are lost for a while: as others they would be more.
    cluster.begin_again();
    register_burst(master, cluster, workers, warm);
  }
  warm.print(system, shown, "warm", workers);
}

} // namespace

void spark_registrations(Extent extent) {
  using Pages = WireCluster::Pages;
  for (const auto& system : wire_systems())
    for (auto pages : {Pages::answered, Pages::none}) {
      // Spark's master does not look at them.
      if (system.is_spark() && pages == Pages::none)
        continue;
      measure_bursts(system, pages, 10, extent.of(50, 1));
      if (!extent.quick) {
        measure_bursts(system, pages, 1000, 5);
        measure_bursts(system, pages, 10'000, 1);
      }
    }
}

} // namespace stoker::benchmark
