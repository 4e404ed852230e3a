// Tasks that are programs: what an executor takes to run them, beside xargs, which only
// starts them and waits.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "embedding/executor_process.hpp"
#include "executor/collected_output.hpp"
#include "executor/task_slots.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

namespace {

using executor::TaskEnd;
using executor::TaskEvent;
using executor::TaskProgram;

constexpr int slot_count = 2;

/// Counts the ends of tasks.
class Ends {
public:
  void note(const TaskEvent& event) {
    const auto* end = std::get_if<TaskEnd>(&event);
    if (end == nullptr)
      return;
    std::lock_guard lock{mutex_};
    ++count_;
    failed_ += !executor::succeeded(*end);
    changed_.notify_all();
  }

  void await(int count) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return count_ >= count; });
    if (failed_ > 0)
      throw std::runtime_error(std::to_string(failed_) + " tasks failed");
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  int failed_ = 0;
};

/// Runs so many tasks on two slots, the output of each collected. Returns the seconds.
double run_tasks(int count) {
  Ends ends;
  executor::TaskSlots slots{
      {slot_count, static_cast<std::size_t>(count)},
      [&](const TaskAttempt&, const TaskEvent& event) { ends.note(event); }};
  auto environment = process_environment();
  auto begin = BenchClock::now();
  for (int i = 0; i < count; ++i) {
    TaskProgram program;
    program.arguments = {"/bin/true"};
    program.environment = environment;
    program.output = std::make_shared<executor::CollectedOutput>(
        executor::CollectedOutputLimits{.directory = "/tmp"});
    auto status = slots.add({StageId{0}, i, 0}, std::move(program));
    if (!status)
      throw std::runtime_error(status.error().message);
  }
  ends.await(count);
  return seconds_since(begin);
}

double run_xargs(int count) {
  auto begin = BenchClock::now();
  if (run_to_end({"/bin/sh", "-c",
                  "seq " + std::to_string(count) + " | xargs -P "
                      + std::to_string(slot_count) + " -n 1 /bin/true"})
      != 0)
    throw std::runtime_error("xargs failed");
  return seconds_since(begin);
}

} // namespace

void task_programs(Extent extent) {
  auto count = extent.of(5'000, 50);
  auto rounds = extent.of(5, 1);
  Samples ours;
  Samples theirs;
  Samples ratios;
  for (int i = 0; i < rounds; ++i) {
    // In turn, so that both have the same load beside them.
    auto rate = count / run_tasks(count);
    auto xargs_rate = count / run_xargs(count);
    ours.add(rate);
    theirs.add(xargs_rate);
    ratios.add(rate / xargs_rate);
  }
  Figure{"task_programs"}
      .count("slots", slot_count)
      .count("tasks", count)
      .number("rate", ours.median())
      .number("xargs_rate", theirs.median())
      .number("ratio", ratios.median())
      .print();
}

} // namespace stoker::benchmark
