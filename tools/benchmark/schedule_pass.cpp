// The core alone: what one event costs that ends in a scheduling pass, and how
// fast executors are placed.

#include <algorithm>
#include <stdexcept>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/core_cluster.hpp"

namespace stoker::benchmark {

namespace {

constexpr auto time_limit = std::chrono::seconds{2};

/// An application that holds much of a cluster: what happens to its executors
/// are the events that are measured.
class Holder {
public:
  Holder(CoreCluster& cluster, const AppSize& size)
      : cluster_(cluster), size_(size) {
    auto step = cluster.add_app(size);
    id_ = step.registered;
    if (step.started.size() != static_cast<std::size_t>(size.executors))
      throw std::runtime_error("the cluster has no room for what holds it");
    executors_ = step.started;
  }

  /// One executor ends and is replaced.
  double replace() {
    auto step = end_one();
    if (step.started.size() != 1)
      throw std::runtime_error("an executor was not replaced");
    executors_.push_back(step.started.front());
    return step.seconds;
  }

  /// One executor ends, and nothing takes its room.
  double end() {
    want(size_.executors - 1);
    auto step = end_one();
    if (!step.started.empty())
      throw std::runtime_error("an executor that ended was replaced");
    return step.seconds;
  }

  /// The executor that `end` took is started again.
  double start() {
    auto step = want(size_.executors);
    if (step.started.size() != 1)
      throw std::runtime_error("an executor was not started");
    executors_.push_back(step.started.front());
    return step.seconds;
  }

private:
  CoreCluster::Step want(int executors) {
    return cluster_.step(RequestExecutors{id_, executors});
  }

  CoreCluster::Step end_one() {
    // Any but always the same: a full-period walk over the places.
    place_ = (place_ * 1103515245 + 12345) % 2147483648;
    auto i = executors_.begin()
             + static_cast<std::ptrdiff_t>(place_ % executors_.size());
    auto id = *i;
    *i = executors_.back();
    executors_.pop_back();
    return cluster_.step(ExecutorStateChanged{
        id.app_id, id.exec_id, ExecutorState::EXITED, std::nullopt, 0});
  }

  CoreCluster& cluster_;
  AppSize size_;
  AppId id_;
  std::vector<ExecutorId> executors_;
  std::uint64_t place_ = 1;
};

void print_event(const Figure& setting, const char* event,
                 const Samples& seconds) {
  auto figure = setting;
  figure.text("event", event)
      .number("median_ms", seconds.median() * 1e3)
      .number("min_ms", seconds.min() * 1e3)
      .number("p99_ms", seconds.quantile(0.99) * 1e3)
      .print();
}

/// Says so where there are tenants; Spark has none.
void note_sharing(Figure& figure, Sharing sharing) {
  if (sharing == Sharing::tenants)
    figure.count("companies", 100).count("users", 10'000);
}

/// Calls `sample` often enough.
void repeat(Extent extent, const std::function<void()>& sample) {
  auto deadline = BenchClock::now() + time_limit;
  auto count = extent.of(500, 10);
  for (int i = 0; i < count && (i < 5 || BenchClock::now() < deadline); ++i)
    sample();
}

/// The situations that a whole pass of Spark's is measured in: applications
/// that want nothing, or that all wait for a full cluster.
void satisfied_or_waiting(Extent extent, int workers, int apps, bool waiting) {
  CoreCluster cluster{core_config(true), workers, waiting ? 1 : 8, 64 * 1024};
  Holder holder{cluster, {waiting ? workers : 1, 1, 512}};
  cluster.add_apps(apps, {waiting ? 1 : 0, 1, 512});
  Samples replaced;
  repeat(extent, [&] { replaced.add(holder.replace()); });
  Figure setting{"schedule_pass"};
  setting.count("workers", workers)
      .count("apps", apps)
      .text("apps_are", apps == 0 ? "none"
                        : waiting ? "waiting"
                                  : "satisfied");
  print_event(setting, "executor_replaced", replaced);
}

/// Each worker has two executors and room that is too small for what waits,
/// also when one of them ends.
void too_large(Extent extent, int workers, bool spread_out,
               const std::vector<int>& levels,
               Sharing sharing = Sharing::fifo) {
  CoreCluster cluster{core_config(spread_out, sharing), workers, 4,
                      2048 + 1023};
  Holder holder{cluster, {2 * workers, 1, 1024}};
  auto waiting = 0;
  for (auto level : levels) {
    Samples registered;
    for (; waiting < level; ++waiting)
      registered.add(cluster.add_app({1, 4, 2048}).seconds);
    Samples replaced, ended, started;
    repeat(extent, [&] {
      replaced.add(holder.replace());
      // With tenants, what it does not want is another's at once.
      if (sharing == Sharing::tenants)
        return;
      ended.add(holder.end());
      started.add(holder.start());
    });
    Figure setting{"schedule_pass"};
    setting.count("workers", workers)
        .count("waiting", waiting)
        .flag("spread_out", spread_out);
    note_sharing(setting, sharing);
    print_event(setting, "executor_replaced", replaced);
    if (ended.size() > 0) {
      print_event(setting, "executor_ends", ended);
      print_event(setting, "executor_starts", started);
    }
    if (registered.size() > 0)
      print_event(setting, "app_registers", registered);
  }
}

/// Each worker has one core, and what holds them ends and is replaced while gangs wait,
/// of as many sizes as there are: one core that is free for a moment is too little.
void gangs_wait(Extent extent, int workers, int gangs, bool alike) {
  CoreCluster cluster{core_config(true), workers, 1, 1024};
  Holder holder{cluster, {workers, 1, 512}};
  for (int i = 0; i < gangs; ++i) {
    auto size = alike ? 8 : 2 + i % std::max(1, workers - 2);
    AppSize gang{size, 1, 512};
    gang.gang = size;
    (void)cluster.add_app(gang);
  }
  Samples replaced, ended, started;
  repeat(extent, [&] {
    replaced.add(holder.replace());
    ended.add(holder.end());
    started.add(holder.start());
  });
  Figure setting{"schedule_pass"};
  setting.count("workers", workers).count("gangs", gangs).flag("alike", alike);
  print_event(setting, "executor_replaced", replaced);
  print_event(setting, "executor_ends", ended);
  print_event(setting, "executor_starts", started);
}

/// One new application at an idle cluster.
void place_one(Extent extent, int workers, int executors, bool spread_out) {
  auto cores = std::max(8, 2 * executors / workers);
  CoreCluster cluster{core_config(spread_out), workers, cores, cores * 512};
  Samples seconds;
  auto deadline = BenchClock::now() + time_limit;
  auto count = extent.of(executors > 100 ? 5 : 50, 2);
  for (int i = 0; i < count && (i < 2 || BenchClock::now() < deadline); ++i) {
    auto step = cluster.add_app({executors, 1, 512});
    if (step.started.size() != static_cast<std::size_t>(executors))
      throw std::runtime_error("not all executors were placed");
    seconds.add(step.seconds);
    (void)cluster.step(UnregisterApplication{step.registered});
  }
  Figure{"schedule_pass_placing"}
      .count("workers", workers)
      .count("executors", executors)
      .flag("spread_out", spread_out)
      .number("median_ms", seconds.median() * 1e3)
      .number("min_ms", seconds.min() * 1e3)
      .number("rate", executors / seconds.median())
      .number("rate_best", executors / seconds.min())
      .print();
}

/// An application that has nothing asks for many executors at once, as with dynamic
/// allocation. With tenants each of them is chosen by itself.
void grow(Extent extent, int workers, int executors, Sharing sharing) {
  auto cores = std::max(8, 2 * executors / workers);
  CoreCluster cluster{core_config(true, sharing), workers, cores, cores * 512};
  Samples each;
  for (int run = 0; run < extent.of(5, 1); ++run) {
    AppSize size{executors};
    size.at_first = 0;
    auto app = cluster.add_app(size).registered;
    auto step = cluster.step(RequestExecutors{app, executors});
    if (step.started.size() != static_cast<std::size_t>(executors))
      throw std::runtime_error("not all executors were started");
    each.add(step.seconds / executors);
    (void)cluster.step(UnregisterApplication{app});
  }
  Figure figure{"schedule_pass_placing"};
  figure.count("workers", workers)
      .count("executors", executors)
      .count("apps", 1)
      .flag("grows", true);
  note_sharing(figure, sharing);
  figure.number("us_per_executor", each.median() * 1e6)
      .number("rate", 1 / each.median())
      .number("rate_best", 1 / each.min())
      .print();
}

/// Many small applications come, one after the other, while others wait.
void place_many(Extent extent, int workers, int apps, int waiting,
                bool spread_out, Sharing sharing = Sharing::fifo) {
  constexpr int executors_each = 2;
  auto executors = apps * executors_each;
  auto cores = std::max(8, 2 * executors / workers);
  CoreCluster cluster{core_config(spread_out, sharing), workers, cores,
                      cores * 512};
  // Larger than any worker, so that they wait for good.
  cluster.add_apps(waiting, {1, cores + 1, 512});
  Samples each;
  for (int run = 0; run < extent.of(2, 1); ++run) {
    double seconds = 0;
    std::size_t placed = 0;
    std::vector<AppId> present;
    for (int i = 0; i < apps; ++i) {
      auto step = cluster.add_app({executors_each, 1, 512});
      seconds += step.seconds;
      placed += step.started.size();
      present.push_back(step.registered);
    }
    if (placed != static_cast<std::size_t>(executors))
      throw std::runtime_error("not all executors were placed");
    each.add(seconds / executors);
    for (const auto& app : present)
      (void)cluster.step(UnregisterApplication{app});
  }
  Figure figure{"schedule_pass_placing"};
  figure.count("workers", workers)
      .count("executors", executors)
      .count("apps", apps)
      .count("waiting", waiting)
      .flag("spread_out", spread_out);
  note_sharing(figure, sharing);
  figure.number("us_per_executor", each.median() * 1e6)
      .number("rate", 1 / each.median())
      .number("rate_best", 1 / each.min())
      .print();
}

std::vector<int> worker_counts(Extent extent) {
  return extent.quick ? std::vector<int>{10, 100}
                      : std::vector<int>{10, 100, 1000, 10'000, 100'000};
}

} // namespace

void schedule_pass(Extent extent) {
  for (auto workers : worker_counts(extent))
    for (auto apps : {0, 100, 1000}) {
      satisfied_or_waiting(extent, workers, apps, false);
      if (apps > 0)
        satisfied_or_waiting(extent, workers, apps, true);
    }
  for (auto workers : worker_counts(extent))
    for (auto alike : {true, false})
      gangs_wait(extent, workers, extent.of(1000, 100), alike);
  for (auto workers : worker_counts(extent)) {
    std::vector<int> levels{0, 1000};
    if (!extent.quick)
      levels.push_back(100'000);
    // It takes time to fill.
    if (workers == 1000 || workers == 100'000)
      levels.push_back(1'000'000);
    too_large(extent, workers, true, levels);
    too_large(extent, workers, true, levels, Sharing::tenants);
    if (!extent.quick)
      levels.resize(3);
    too_large(extent, workers, false, levels);
  }
}

void schedule_pass_placing(Extent extent) {
  auto many = extent.of(10'000, 100);
  for (auto workers : worker_counts(extent)) {
    place_one(extent, workers, 2, true);
    for (auto spread_out : {true, false})
      place_one(extent, workers, many, spread_out);
    for (auto spread_out : {true, false})
      for (auto waiting : {0, extent.of(100'000, 100)})
        place_many(extent, workers, many, waiting, spread_out);
    place_many(extent, workers, many, 0, true, Sharing::tenants);
    for (auto sharing : {Sharing::fifo, Sharing::tenants})
      grow(extent, workers, many, sharing);
  }
}

} // namespace stoker::benchmark
