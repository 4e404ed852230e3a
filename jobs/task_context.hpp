#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "executor/barrier_port.hpp"
#include "messages/result.hpp"

namespace stoker::jobs {

/// The task in which a function of a job runs. A copy may be kept, and asked by other
/// threads, while the function runs.
class TaskContext {
public:
  /// Of no task.
  TaskContext() = default;

  /// For this library.
  /// @param port Of a barrier stage; null: it is none.
  TaskContext(int stage, int partition, int attempt, std::stop_token stop,
              executor::BarrierPort* port = nullptr)
      : stage_(stage), partition_(partition), attempt_(attempt),
        stop_(std::move(stop)), port_(port) {
  }

  /// Numbers stages of a Context, from 0; -1: this is no task.
  [[nodiscard]] int stage() const noexcept {
    return stage_;
  }

  /// Which partition the task computes, from 0; -1: this is no task.
  [[nodiscard]] int partition() const noexcept {
    return partition_;
  }

  /// How often the task has begun before.
  [[nodiscard]] int attempt() const noexcept {
    return attempt_;
  }

  /// Whether nobody wants its result any more: its job has failed or was interrupted, or
  /// another attempt was faster. A function that takes long returns early then, with
  /// anything: what it returns counts no more. Costs as much as reading a variable.
  [[nodiscard]] bool ending() const noexcept {
    return stop_.stop_requested();
  }

  /// The same for what waits, as std::condition_variable_any.
  [[nodiscard]] const std::stop_token& stop_token() const noexcept {
    return stop_;
  }

  // -- of a task of a barrier stage (Dataset::barrier); others fail -----------

  /// Waits until all tasks of the stage have called it. All have to call the same,
  /// equally often: Spark's BarrierTaskContext.barrier(). Fails when that cannot come,
  /// when it takes too long (spark.barrier.sync.timeout), or when the task is to end.
  /// An error is for good: the stage has to be tried again.
  [[nodiscard]] Status barrier() const;

  /// The same; what each of them says goes to all, by partition.
  [[nodiscard]] Result<std::vector<std::string>>
  all_gather(std::string message) const;

  /// Of all tasks of the stage, by partition.
  struct TaskInfo {
    /// The host that the task runs on.
    std::string address;
  };
  [[nodiscard]] Result<std::vector<TaskInfo>> task_infos() const;

private:
  [[nodiscard]] Result<executor::BarrierPort::Messages>
  wait(BarrierCall call, std::string message) const;
  [[nodiscard]] TaskAttempt id() const noexcept {
    return {StageId{stage_}, partition_, attempt_};
  }

  std::int32_t stage_ = -1;
  std::int32_t partition_ = -1;
  std::int32_t attempt_ = 0;
  std::stop_token stop_;
  executor::BarrierPort* port_ = nullptr;
};

/// That of the task which this thread runs: Spark's TaskContext.get(). Elsewhere, as in
/// the driver, which calls functions of reduce, too, it is one of no task. A function
/// that starts threads gives them a copy.
const TaskContext& task_context() noexcept;

/// For this library: this thread runs the task, as long as this object lives.
class TaskContextScope {
public:
  /// @param context Outlives this.
  explicit TaskContextScope(const TaskContext& context) noexcept;
  ~TaskContextScope();

  TaskContextScope(const TaskContextScope&) = delete;
  TaskContextScope& operator=(const TaskContextScope&) = delete;

private:
  const TaskContext* before_;
};

} // namespace stoker::jobs
