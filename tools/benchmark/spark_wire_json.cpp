// What a master of workers and drivers of Spark's shows over HTTP, asked as often as it
// answers.

#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <string>
#include <vector>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/spark_wire_cluster.hpp"
#include "tools/benchmark/spark_wire_master.hpp"
#include "tools/benchmark/spark_wire_page.hpp"

namespace stoker::benchmark {

namespace {

/// What one client has got.
struct PageVisits {
  std::vector<double> seconds;
  std::size_t bytes = 0;
};

PageVisits ask_page(std::uint16_t port, std::chrono::milliseconds time) {
  WirePage page{port};
  PageVisits result;
  auto deadline = BenchClock::now() + time;
  while (BenchClock::now() < deadline) {
    auto begin = BenchClock::now();
    result.bytes = page.get("/json/").size();
    result.seconds.push_back(seconds_since(begin));
  }
  return result;
}

std::vector<PageVisits> ask_together(std::uint16_t port, int clients,
                                     std::chrono::milliseconds time) {
  std::vector<std::future<PageVisits>> asked;
  for (int i = 0; i < clients; ++i)
    asked.push_back(
        std::async(std::launch::async, [=] { return ask_page(port, time); }));
  std::vector<PageVisits> result;
  for (auto& x : asked)
    result.push_back(x.get());
  return result;
}

void measure_page(const WireSystem& system, int count,
                  std::chrono::milliseconds time) {
  WireMaster master{system, {}};
  master.await_leading();
  WireCluster cluster{*system.table, master.address()};
  auto workers = cluster.make_workers(count, 8, 64 * 1024);
  cluster.register_all(workers);
  auto drivers = cluster.make_drivers(count, {1, 1, 512});
  for (const auto& driver : drivers)
    driver->register_it();
  cluster.until("executors run", cluster.tally().executors_running, count);
  cluster.drain(drivers);
  for (auto clients : {1, 4}) {
    ask_together(master.web_port(), clients, time);
    WireMeter meter{master};
    auto begin = BenchClock::now();
    Samples latencies;
    std::size_t bytes = 0;
    for (const auto& visits : ask_together(master.web_port(), clients, time)) {
      bytes = visits.bytes;
      for (auto x : visits.seconds)
        latencies.add(x);
    }
    auto requests = static_cast<double>(latencies.size());
    Figure{"spark_json", system.peer}
        .count("workers", count)
        .count("apps", count)
        .count("clients", clients)
        .count("bytes", static_cast<std::int64_t>(bytes))
        .number("rate", requests / seconds_since(begin))
        .latency("answer", latencies)
        .number("master_cpu_ms_per_op", meter.master_seconds() * 1e3 / requests)
        .number("client_cpu_ms_per_op", meter.own_seconds() * 1e3 / requests)
        .print();
  }
}

} // namespace

void spark_json(Extent extent) {
  using std::chrono::milliseconds;
  for (const auto& system : wire_systems())
    measure_page(system, extent.of(1000, 5),
                 extent.of(milliseconds{5000}, milliseconds{50}));
}

} // namespace stoker::benchmark
