// What a history costs: executors that start and end at a master that keeps one, and at
// one that does not, in turn; and how long it takes to read a long one.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "network/free_port.hpp"
#include "storage/history_store.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/master_process.hpp"
#include "tools/benchmark/returning_cluster.hpp"

namespace stoker::benchmark {

namespace {

constexpr int history_workers = 10;
constexpr int history_cores = 100;

struct EndsMeasured {
  double rate = 0;
  double cpu_us = 0;
};

/// One application of so many instances, each an executor that starts and ends.
EndsMeasured measure_ends(ActorNetwork& network, bool keeps, int instances) {
  MasterProcess master{
      {.settings
       = {std::string{"stoker.history.enabled="} + (keeps ? "true" : "false"),
          "spark.worker.ui.retainedExecutors=100000"},
       .durable = true,
       // Pages follow what is committed, too, as they do by default.
       .web_port = free_port("127.0.0.1")}};
  master.await_log("ALIVE at");
  ReturningCluster cluster{network, {master.address()}};
  cluster.tally().programs_end = true;
  cluster.add_workers(history_workers, history_cores, 1024 * 1024);
  AppSize size{history_workers * history_cores, 1, 512};
  size.instances = instances;
  auto cpu = master.use().cpu_seconds;
  auto begin = BenchClock::now();
  auto app = cluster.run_instances(size);
  auto seconds = seconds_since(begin);
  EndsMeasured result{instances / seconds,
                      (master.use().cpu_seconds - cpu) * 1e6 / instances};
  cluster.leave(app);
  return result;
}

void compare_ends(ActorNetwork& network, int instances, int rounds) {
  Samples without_rate;
  Samples with_rate;
  Samples without_cpu;
  Samples with_cpu;
  for (int i = 0; i < rounds; ++i)
    // The first of a pair finds another machine than the second.
    for (auto keeps : {i % 2 == 0, i % 2 != 0}) {
      auto x = measure_ends(network, keeps, instances);
      (keeps ? with_rate : without_rate).add(x.rate);
      (keeps ? with_cpu : without_cpu).add(x.cpu_us);
    }
  Figure{"history"}
      .count("executors", instances)
      .count("rounds", rounds)
      .number("rate_without", without_rate.median())
      .number("rate", with_rate.median())
      .number("times_slower", without_rate.median() / with_rate.median())
      .number("cpu_us_without", without_cpu.median())
      .number("cpu_us", with_cpu.median())
      .print();
}

HistoryEntry entry_of(int number) {
  HistoryEntry x;
  x.kind = HistoryKind::executor;
  auto app = "app-20261121074600-" + std::to_string(number / 100);
  x.id = app + '/' + std::to_string(number % 100);
  x.app_id = AppId{app};
  x.name = "words";
  x.user = "user-" + std::to_string(number % 1000);
  x.state = "EXITED";
  x.exit_status = 0;
  x.worker_id = WorkerId{"worker-" + std::to_string(number % 500)};
  x.host = "host-" + std::to_string(number % 500);
  x.cores = 1;
  x.memory_mb = 512;
  x.submitted_ms = 1'795'280'000'000 + number * 10LL;
  x.started_ms = x.submitted_ms;
  x.ended_ms = x.submitted_ms + 60'000;
  x.core_ms = 60'000;
  x.use = ResourceUse{55'000, 300, 4096};
  x.parts = 1;
  return x;
}

void read_long_history(int entries) {
  TemporaryDirectory directory;
  auto path = history_file(directory.path());
  auto opened = HistoryStore::open(path, {});
  if (!opened)
    throw std::runtime_error(opened.error().message);
  auto& store = **opened;
  constexpr int at_once = 1000;
  auto begin = BenchClock::now();
  for (int i = 0; i < entries; i += at_once) {
    std::vector<HistoryChange> changes;
    for (int j = i; j < std::min(entries, i + at_once); ++j)
      changes.emplace_back(entry_of(j));
    if (auto status = store.put(changes, from_ms(1'800'000'000'000)); !status)
      throw std::runtime_error(status.error().message);
  }
  auto write_seconds = seconds_since(begin);
  auto time_of = [&](auto ask) {
    Samples result;
    for (int i = 0; i < 20; ++i) {
      begin = BenchClock::now();
      if (!ask(i))
        throw std::runtime_error("the history gave no answer");
      result.add(seconds_since(begin));
    }
    return result;
  };
  Figure{"history"}
      .count("entries", entries)
      .number("written_per_s", entries / write_seconds)
      .number("bytes_each",
              static_cast<double>(size_of_files(directory.path())) / entries)
      .latency("last_100", time_of([&](int) { return store.find({}); }))
      .latency("of_user", time_of([&](int i) {
                 RequestHistory x;
                 x.user = "user-" + std::to_string(i);
                 return store.find(x);
               }))
      .latency("of_app", time_of([&](int i) {
                 RequestHistory x;
                 x.app_id = AppId{"app-20261121074600-" + std::to_string(i)};
                 return store.find(x);
               }))
      .latency("months", time_of([&](int) { return store.use({}); }))
      .print();
}

} // namespace

void history(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  compare_ends(*opened, extent.of(20'000, 100), extent.of(6, 1));
  read_long_history(extent.of(1'000'000, 1000));
}

} // namespace stoker::benchmark
