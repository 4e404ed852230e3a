// Heartbeats of workers of Spark's, as fast as they go.

#include <algorithm>
#include <cstdint>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/spark_wire_cluster.hpp"
#include "tools/benchmark/spark_wire_master.hpp"

namespace stoker::benchmark {

namespace {

struct WireRounds {
  Samples rates;
  double master_seconds = 0;
  double own_seconds = 0;
  double beats = 0;
};

void beat(const WireMaster& master, WireCluster& cluster,
          const WireWorkers& workers, int beats_each, WireRounds& out) {
  WireMeter meter{master};
  auto begin = BenchClock::now();
  for (int i = 0; i < beats_each; ++i)
    for (const auto& worker : workers)
      worker->beat();
  auto seconds = seconds_between(begin, cluster.drain(workers));
  auto beats = static_cast<double>(workers.size()) * beats_each;
  out.rates.add(beats / seconds);
  out.master_seconds += meter.master_seconds();
  out.own_seconds += meter.own_seconds();
  out.beats += beats;
}

/// Each worker beats once in its turn, as on a network: no two beats of one come together
/// while the master keeps up.
void measure_beats(const WireSystem& system, int workers, int beats_in_round,
                   int rounds) {
  constexpr int rounds_before = 3;
  WireMaster master{system, {}};
  master.await_leading();
  WireCluster cluster{*system.table, master.address()};
  auto all = cluster.make_workers(workers, 8, 64 * 1024);
  cluster.register_all(all);
  cluster.drain(all);
  auto each = std::max(1, beats_in_round / workers);
  WireRounds ignored;
  for (int i = 0; i < rounds_before; ++i)
    beat(master, cluster, all, each, ignored);
  WireRounds out;
  for (int i = 0; i < rounds; ++i)
    beat(master, cluster, all, each, out);
  Figure{"spark_heartbeats", system.peer}
      .count("workers", workers)
      .count("samples", rounds)
      .number("rate", out.rates.median())
      .number("rate_best", out.rates.max())
      .number("master_cpu_us_per_op", out.master_seconds * 1e6 / out.beats)
      .number("client_cpu_us_per_op", out.own_seconds * 1e6 / out.beats)
      .print();
}

} // namespace

void spark_heartbeats(Extent extent) {
  for (const auto& system : wire_systems()) {
    measure_beats(system, 10, extent.of(30'000, 100), extent.of(5, 1));
    if (!extent.quick) {
      measure_beats(system, 1000, 30'000, 5);
      // Each worker is asked at the end of a round whether all was taken, which must not
      // be what is measured.
      measure_beats(system, 10'000, 200'000, 3);
    }
  }
}

} // namespace stoker::benchmark
