#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "executor/barrier_port.hpp"
#include "messages/barrier.hpp"

namespace stoker::executor {

/// Tasks of barrier stages that run in this executor: which of them wait, and for which
/// barrier.
class BarrierTasks : public BarrierPort {
public:
  /// Tells the driver; may be called by any thread.
  using Tell = std::function<void(BarrierArrived)>;

  explicit BarrierTasks(Tell tell) : tell_(std::move(tell)) {
  }

  /// The task begins.
  /// @param hosts Of all tasks of its stage.
  /// @param port At the first of them, for what the tasks have of their own.
  void begin(const TaskAttempt& task, Messages hosts, std::uint16_t port);

  /// What its program finds besides what other programs find: the names are those of
  /// torch.distributed. Empty: the task is not known.
  std::map<std::string, std::string> environment(const TaskAttempt& task);

  /// It has ended, or is to end: if it waits, it does so no more.
  void end(const TaskAttempt& task);
  void end_all();

  /// What the driver says.
  void passed(const BarrierPassed& x);

  void call(const TaskAttempt& task, BarrierCall call, std::string message,
            Done done) override;
  Result<Messages> addresses(const TaskAttempt& task) override;

private:
  struct Task {
    Messages hosts;
    std::uint16_t port = 0;

    /// How many barriers it has passed.
    std::int32_t epoch = 0;

    /// Of the one where it waits.
    Done waits;
  };

  const Tell tell_;
  std::mutex mutex_;
  std::map<TaskAttempt, Task> tasks_;
};

} // namespace stoker::executor
