// The allocation manager alone: what an event and the tick after it cost, and what an
// executor takes of memory, in an application of many executors and tasks.

#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "scheduling/allocation/allocation_manager.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

namespace {

using namespace std::chrono_literals;

/// An application whose executors are all busy, while more tasks wait; the cluster
/// agrees to whatever is asked for.
class AllocatedLoad {
public:
  explicit AllocatedLoad(int executors) : executors_(executors) {
    carry_out(manager_.start(now_));
    for (int i = 0; i < executors_; ++i)
      step(ExecutorJoined{i});
  }

  /// With hints for a hundred hosts.
  void submit(int tasks) {
    StageSubmitted x{stage_, tasks, {}};
    x.locality.tasks = tasks;
    for (int i = 0; i < 100; ++i)
      x.locality.by_host["node-" + std::to_string(i)] = tasks / 100 + 1;
    step(x);
    for (int i = 0; i < executors_; ++i)
      begin_one(i);
  }

  /// A task ends, and the next one of its executor begins.
  void replace_one() {
    auto exec_id = ended_ % executors_;
    step(TaskOver{{stage_.stage, ended_++, 0}, TaskOutcome::succeeded});
    begin_one(exec_id);
  }

  /// Some executors have nothing to do any more.
  void end_some(int count) {
    for (int i = 0; i < count; ++i)
      step(TaskOver{{stage_.stage, ended_++, 0}, TaskOutcome::succeeded});
  }
  void end_stage() {
    step(StageEnded{stage_});
  }

  void tick_after(Duration x) {
    now_ += x;
    step(AllocationTick{});
  }

  [[nodiscard]] AllocationStatus status() const {
    return manager_.status();
  }

private:
  void begin_one(int exec_id) {
    step(TaskBegan{{stage_.stage, begun_++, 0}, 0, exec_id, false});
  }

  void step(const AllocationEvent& x) {
    carry_out(manager_.step(now_, x));
  }

  void carry_out(const AllocationActions& actions) {
    for (const auto& action : actions) {
      if (const auto* total = std::get_if<WantTotal>(&action))
        carry_out(manager_.step(now_, WantTotalAnswered{total->number, true}));
      else if (const auto* end = std::get_if<EndIdle>(&action))
        carry_out(
            manager_.step(now_, EndIdleAnswered{end->number, end->exec_ids}));
    }
  }

  static AllocationSettings settings() {
    AllocationSettings x;
    x.idle_timeout = 1s;
    return x;
  }

  int executors_;
  AllocationManager manager_{settings()};
  Instant now_;
  StageAttempt stage_;
  int begun_ = 0;
  int ended_ = 0;
};

void measure_allocation(int executors, int tasks, int steps) {
  auto rss = [] { return use_of(::getpid()).rss_bytes; };
  auto empty = rss();
  AllocatedLoad load{executors};
  auto idle = rss();
  load.submit(tasks + executors);
  auto busy = rss();
  Figure figure{"allocation"};
  figure.count("executors", executors).count("pending_tasks", tasks);

  auto begin = BenchClock::now();
  for (int i = 0; i < steps; ++i)
    load.replace_one();
  figure.number("us_per_task", seconds_since(begin) * 1e6 / steps);

  // Each of them finds the target due, grows it, or has nothing to do.
  begin = BenchClock::now();
  for (int i = 0; i < steps; ++i) {
    load.replace_one();
    load.tick_after(100ms);
  }
  figure.number("us_per_task_and_tick", seconds_since(begin) * 1e6 / steps);
  if (load.status().target <= executors)
    throw std::runtime_error("the target did not grow");

  // The tick at which a hundred executors are ended.
  load.end_stage();
  load.tick_after(100ms);
  load.end_some(100);
  begin = BenchClock::now();
  load.tick_after(1s);
  figure.number("us_tick_ending_100", seconds_since(begin) * 1e6);
  if (load.status().leaving != 100)
    throw std::runtime_error("executors did not end");
  figure.number("bytes_per_idle_executor", (idle - empty) / executors)
      .number("bytes_per_busy_executor", (busy - empty) / executors)
      .print();
}

} // namespace

void allocation(Extent extent) {
  measure_allocation(extent.of(1000, 100), 10'000, extent.of(4000, 400));
  measure_allocation(extent.of(100'000, 1000), extent.of(1'000'000, 10'000),
                     extent.of(100'000, 1000));
}

} // namespace stoker::benchmark
