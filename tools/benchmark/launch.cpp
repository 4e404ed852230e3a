// One application of many executors, over loopback.

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/fake_cluster.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

void launch(ActorNetwork& network, int workers, int executors,
            bool spread_out) {
  MasterProcess master{{.settings = {std::string{"spark.deploy.spreadOut="}
                                     + (spread_out ? "true" : "false")}}};
  master.await_port();
  FakeCluster cluster{network, master.address()};
  auto cores = 2 * executors / workers;
  cluster.register_all(cluster.make_workers(workers, cores, 64 * 1024));
  auto& tally = cluster.tally();
  tally.workers_report = false;
  auto app = cluster.make_apps(1, {executors, 1, 512}).front();
  tally.executors_added.expect(executors);
  auto cpu = master.use().cpu_seconds;
  auto start = BenchClock::now();
  cluster.say(app, app.registration);
  auto all = seconds_between(start, tally.executors_added.await());
  cluster.drain();
  Figure{"launch"}
      .count("workers", workers)
      .count("executors", executors)
      .flag("spread_out", spread_out)
      .number("rate", executors / all)
      .number("first_executor_s",
              seconds_between(start, app.heard->first_executor_at))
      .number("last_executor_s", all)
      .number("master_cpu_us_per_op",
              (master.use().cpu_seconds - cpu) * 1e6 / executors)
      .print();
}

} // namespace

void launch(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  auto executors = extent.of(10'000, 100);
  auto few = extent.of(1000, 10);
  launch(network, few, executors, true);
  launch(network, few, executors, false);
  launch(network, executors, executors, true);
}

} // namespace stoker::benchmark
