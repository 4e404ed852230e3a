#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "executor/stage_table.hpp"
#include "executor/task_function.hpp"
#include "messages/task.hpp"

namespace stoker::executor {

/// A task that is a function.
struct FunctionLaunch {
  /// @pre it has a function
  std::shared_ptr<const DescribeStage> stage;
  LaunchTask task;
};

/// Runs functions on threads, in the order in which they come. Threads start when they
/// are needed first, and stay. `add` and `stop` are for one thread, the others for any.
///
/// A function cannot be ended from outside: one that does not return when it is told to
/// keeps its thread.
class FunctionSlots {
public:
  /// How tasks ended, in order.
  using Ends = std::vector<TaskStatus>;

  /// Called by some thread when `take_ended` has something after having had nothing.
  using News = std::function<void()>;

  /// @param slots How many functions run at once.
  /// @param functions Stay until `stop` has returned true, or this process ends.
  FunctionSlots(int slots, std::shared_ptr<const StageTable> stages,
                const TaskFunctions& functions, News news);

  /// As `stop`, without patience.
  ~FunctionSlots();

  FunctionSlots(const FunctionSlots&) = delete;
  FunctionSlots& operator=(const FunctionSlots&) = delete;

  /// Runs tasks as soon as slots are free. After `stop` they are passed over.
  void add(std::vector<FunctionLaunch> tasks);

  /// Tells a task to end, or takes it out if it has not begun: both end as KILLED,
  /// unless another end came first. Returns false if it is not here.
  bool kill(const TaskAttempt& task);

  /// Takes tasks back that have not begun, those that were added last, and at most so
  /// many.
  std::vector<TaskAttempt> take_back(std::size_t count_max);

  /// What has ended since the last call.
  Ends take_ended();

  /// Whether nothing runs or waits, so that no other end follows soon.
  [[nodiscard]] bool is_idle() const;

  /// Tells all functions to end, and drops what waits. Nothing ends any more that anyone
  /// hears of.
  void tell_to_stop();

  /// The same; then waits for the functions. Returns whether all have returned: if not,
  /// their threads go on, and only the end of this process ends them.
  bool stop(std::chrono::milliseconds patience);

private:
  struct State;

  /// Starts threads for what waits.
  void start_threads();

  const int slots_;
  /// Shared with the threads: one that hangs outlives this object.
  const std::shared_ptr<State> state_;
  std::vector<std::thread> threads_;
};

} // namespace stoker::executor
