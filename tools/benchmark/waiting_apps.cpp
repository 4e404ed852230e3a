// A full cluster with a queue that grows, over loopback.

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/fake_cluster.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

constexpr int cores_each = 4;

class Queue {
public:
  Queue(ActorNetwork& network, int workers)
      : workers_(workers), cluster_(start(network, master_)) {
    cluster_.register_all(
        cluster_.make_workers(workers, cores_each, 64 * 1024));
    // A few applications take all; they leave later and let the queue move.
    constexpr int holders = 10;
    holders_
        = cluster_.make_apps(holders, {workers / holders, cores_each, 512});
    cluster_.tally().executors_running.expect(workers);
    for (const auto& app : holders_)
      cluster_.say(app, app.registration);
    cluster_.tally().executors_running.await();
  }

  /// Grows the queue to `level`, then measures registrations more.
  void measure(int level, int samples) {
    auto filled = level - waiting_;
    auto start = BenchClock::now();
    fill(filled);
    auto fill_seconds = seconds_since(start);
    Samples registered, scheduled;
    for (int i = 0; i < samples; ++i) {
      auto app = add(1).front();
      start = BenchClock::now();
      cluster_.say(app, app.registration);
      auto end = cluster_.drain();
      cluster_.tally().apps_registered.await();
      registered.add(seconds_between(start, app.heard->registered_at));
      scheduled.add(seconds_between(start, end));
    }
    Figure figure{"waiting_apps"};
    figure.text("log", "INFO")
        .count("workers", workers_)
        .count("waiting", waiting_);
    if (filled > 0)
      figure.number("fill_rate", filled / fill_seconds);
    figure.latency("registered", registered)
        .latency("scheduled", scheduled)
        .print();
  }

  /// A running application leaves: how long until the head of the queue gets an
  /// executor.
  void hand_over() {
    Samples first;
    auto& tally = cluster_.tally();
    for (std::size_t i = 0; i < 3; ++i) {
      auto executors = workers_ / static_cast<int>(holders_.size());
      tally.executors_added.expect(1);
      tally.executors_killed.expect(executors);
      tally.executors_running.expect(
          std::min(waiting_ * two_executors.executors, executors * cores_each));
      auto start = BenchClock::now();
      FakeCluster::leave(holders_[i]);
      first.add(seconds_between(start, tally.executors_added.await()));
      tally.executors_killed.await();
      tally.executors_running.await();
    }
    Figure{"queue_hand_over"}
        .text("log", "INFO")
        .count("workers", workers_)
        .count("waiting", waiting_)
        .number("samples", static_cast<double>(first.size()))
        .number("first_executor_ms", first.median() * 1e3)
        .print();
  }

private:
  static FakeCluster start(ActorNetwork& network, MasterProcess& master) {
    master.await_port();
    return FakeCluster{network, master.address()};
  }

  std::vector<FakeApp> add(int count) {
    waiting_ += count;
    cluster_.tally().apps_registered.expect(count);
    return cluster_.make_apps(count, two_executors);
  }

  void fill(int count) {
    constexpr int burst = 50;
    while (count > 0) {
      auto apps = add(std::min(burst, count));
      for (const auto& app : apps)
        cluster_.say(app, app.registration);
      cluster_.drain();
      cluster_.tally().apps_registered.await();
      count -= burst;
    }
  }

  int workers_;
  MasterProcess master_;
  FakeCluster cluster_;
  std::vector<FakeApp> holders_;
  int waiting_ = 0;
};

} // namespace

void waiting_apps(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  for (auto workers :
       extent.quick ? std::vector<int>{10} : std::vector<int>{10, 1000}) {
    Queue queue{network, workers};
    for (auto level : extent.quick
                          ? std::vector<int>{0, 50}
                          : std::vector<int>{0, 100, 1000, 5000, 20'000})
      queue.measure(level, extent.of(20, 3));
    queue.hand_over();
  }
}

} // namespace stoker::benchmark
