#include "tools/benchmark/barrier_functions.hpp"

#include <chrono>
#include <fstream>

namespace stoker::benchmark {

namespace {

Status wait_for_all(executor::FunctionTask& task) {
  auto all = executor::wait_at_barrier(*task.barrier(), task.id(),
                                       BarrierCall::BARRIER, {});
  return all ? Status{} : Status{std::move(all).error()};
}

Status make_rounds(executor::FunctionTask& task) {
  std::string result;
  // The first one waits for who begins last.
  for (auto left = std::stoi(task.argument()) + 1; left > 0; --left) {
    auto begin = shared_clock_ns();
    if (auto passed = wait_for_all(task); !passed)
      return passed;
    if (task.id().task == 0)
      result += std::to_string(shared_clock_ns() - begin) + '\n';
  }
  return result.empty() ? Status{}
                        : task.write(0, result.substr(result.find('\n') + 1));
}

Status write_begin(executor::FunctionTask& task) {
  return task.write(0, std::to_string(shared_clock_ns()));
}

Status fail_first(executor::FunctionTask& task) {
  if (task.id().attempt > 0)
    return write_begin(task);
  if (auto all = wait_for_all(task); !all)
    return all;
  if (task.id().task != 0)
    return wait_for_all(task);
  std::ofstream{task.argument()} << shared_clock_ns();
  return Error{Errc::failed, "once"};
}

} // namespace

std::int64_t shared_clock_ns() {
  return std::chrono::nanoseconds{
      std::chrono::steady_clock::now().time_since_epoch()}
      .count();
}

void add_barrier_functions(executor::TaskFunctions& functions) {
  static_cast<void>(functions.add(barrier_rounds, make_rounds));
  static_cast<void>(functions.add(when_begun, write_begin));
  static_cast<void>(functions.add(fail_once, fail_first));
}

} // namespace stoker::benchmark
