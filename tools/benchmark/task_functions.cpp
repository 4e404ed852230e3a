// Tasks that are functions: driver, master and workers in this process, executors
// beside it, and tasks that do nothing.

#include <unistd.h>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/function_jobs.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

namespace {

constexpr int function_slot_count = 2;

double own_rss_mb() {
  return use_of(::getpid()).rss_bytes / 1e6;
}

/// One job of many tasks, to its last result.
void measure_rate(int executors, int tasks) {
  FunctionJobs jobs{executors, function_slot_count / executors};
  jobs.connect();
  jobs.await_executors();
  jobs.run(tasks / 10);
  auto begin = BenchClock::now();
  auto driver_cpu = own_cpu_seconds();
  auto executor_cpu = jobs.executor_cpu_seconds();
  auto rss = own_rss_mb();
  jobs.run(tasks);
  auto seconds = seconds_since(begin);
  auto each_us = [&](double cpu_seconds) { return cpu_seconds / tasks * 1e6; };
  Figure{"inprocess_tasks"}
      .count("slots", function_slot_count)
      .count("executors", executors)
      .text("task", "C++ function")
      .count("tasks", tasks)
      .number("rate", tasks / seconds)
      .number("driver_cpu_us", each_us(own_cpu_seconds() - driver_cpu))
      .number("executor_cpu_us",
              each_us(jobs.executor_cpu_seconds() - executor_cpu))
      .number("driver_growth_mb", own_rss_mb() - rss)
      .print();
}

/// One task after another, each a job.
void measure_latency(int samples) {
  FunctionJobs jobs{1, function_slot_count};
  jobs.connect();
  jobs.await_executors();
  jobs.run(100);
  Samples latencies;
  for (int i = 0; i < samples; ++i) {
    auto begin = BenchClock::now();
    jobs.run(1);
    latencies.add(seconds_since(begin));
  }
  Figure{"submit_latency"}
      .text("task", "function")
      .count("samples", samples)
      .number("p50_ms", latencies.median() * 1e3)
      .number("p99_ms", latencies.quantile(0.99) * 1e3)
      .number("min_ms", latencies.min() * 1e3)
      .number("max_ms", latencies.max() * 1e3)
      .print();
}

/// From the application's registration to the first result.
void measure_start(int reps) {
  Samples starts;
  for (int i = 0; i < reps; ++i) {
    FunctionJobs jobs{1, function_slot_count};
    auto begin = BenchClock::now();
    jobs.connect();
    jobs.run(1);
    starts.add(seconds_since(begin));
  }
  Figure{"task_startup"}
      .text("task", "function")
      .count("reps", reps)
      .number("seconds", starts.median())
      .number("min_seconds", starts.min())
      .print();
}

/// Tasks that wait, none of which can run.
void measure_queued(int tasks) {
  FunctionJobs jobs{0, function_slot_count};
  jobs.connect();
  auto before = own_rss_mb();
  jobs.submit(tasks);
  // A second one is looked at when the first one is there.
  jobs.submit(1);
  jobs.await_stages(2);
  Figure{"job_array_memory"}
      .count("tasks", tasks)
      .number("before_mb", before)
      .number("growth_mb", own_rss_mb() - before)
      .text("of", "driver")
      .print();
}

} // namespace

void task_functions(Extent extent) {
  measure_start(extent.of(9, 1));
  measure_latency(extent.of(2'000, 10));
  measure_queued(extent.of(100'000, 1'000));
  measure_rate(1, extent.of(1'000'000, 1'000));
  measure_rate(2, extent.of(1'000'000, 1'000));
}

} // namespace stoker::benchmark
