// A master of workers and drivers of Spark's is killed, and started again on what it has
// stored.

#include <cstdint>
#include <string>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/spark_wire_cluster.hpp"
#include "tools/benchmark/spark_wire_master.hpp"

namespace stoker::benchmark {

namespace {

/// When each of some things was first so, looked at while fakes are served.
template <class Done>
double seconds_until(WireCluster& cluster, const WireMaster& master,
                     const char* what, Done done) {
  cluster.loop().run_until(what, done);
  return seconds_since(master.started_at());
}

void recover_on_wire(const WireSystem& system, int count) {
  TemporaryDirectory state;
  WireRecipe recipe{.state = state.path(), .timeout_s = 60};
  WireMaster first{system, recipe};
  first.await_leading();
  // Started again where it was.
  recipe.port = static_cast<std::uint16_t>(first.address().port);
  recipe.web_port = first.web_port();
  WireCluster cluster{*system.table, first.address()};
  auto& tally = cluster.tally();
  cluster.let_all_listen();
  auto workers = cluster.make_workers(count, 8, 64 * 1024);
  cluster.register_all(workers);
  auto drivers = cluster.make_drivers(count, {1, 1, 512});
  for (const auto& driver : drivers)
    driver->register_it();
  cluster.until("executors run", tally.executors_running, count);
  cluster.drain(drivers);
  cluster.drain(workers);
  first.kill();
  auto killed = tally.executors_killed.value;
  auto launched = tally.executors_launched.value;

  WireMaster second{system, recipe};
  auto listening = seconds_until(cluster, second, "ports are open",
                                 [&] { return second.listens(); });
  auto read = seconds_until(cluster, second, "masters have read what is stored",
                            [&] { return second.has_begun_to_recover(); });
  auto newcomers = cluster.make_drivers(1, {1, 1, 512});
  const auto& newcomer = *newcomers.front();
  newcomers.front()->register_it();
  auto alive = seconds_until(cluster, second, "masters lead again",
                             [&] { return second.leads(); });
  seconds_until(cluster, second, "executors run",
                [&] { return newcomer.running() > 0; });
  cluster.until("workers and drivers are called", tally.masters_changed,
                2 * std::int64_t{count});
  auto since_start = [&](BenchClock::time_point when) {
    return seconds_between(second.started_at(), when);
  };
  Figure{"spark_recovery", system.peer}
      .count("workers", count)
      .count("apps", count)
      .number("listening_s", listening)
      .number("state_read_s", read)
      .number("new_app_registered_s", since_start(newcomer.registered_at()))
      .number("alive_s", alive)
      .number("all_called_s", since_start(tally.masters_changed.last_at))
      .number("new_app_first_executor_s",
              since_start(newcomer.first_executor_at()))
      .number("master_cpu_s", second.use().cpu_seconds)
      .count("executors_disturbed", tally.executors_killed.value - killed
                                        + tally.executors_launched.value
                                        - launched - 1)
      .print();
}

} // namespace

void spark_recovery(Extent extent) {
  for (const auto& system : wire_systems())
    recover_on_wire(system, extent.of(1000, 10));
}

} // namespace stoker::benchmark
