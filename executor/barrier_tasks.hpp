#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "executor/barrier_port.hpp"
#include "messages/barrier.hpp"

namespace stoker::executor {

/// Tasks of barrier stages that run in this executor: which of them wait, and for which
/// barrier.
///
/// The driver is told of all tasks of an attempt at once, when the last of them waits:
/// nobody goes on before that anyway. It hears of those that wait for longer than others
/// of this executor need, or for ever, when `tell_held` is called.
class BarrierTasks : public BarrierPort {
public:
  /// Tells the driver; may be called by any thread.
  using Tell = std::function<void(BarrierArrived)>;

  /// Asks for a call of `tell_held` soon; may be called by any thread. It is not called
  /// again before that came.
  using AskForCall = std::function<void()>;

  BarrierTasks(Tell tell, AskForCall ask_for_call)
      : tell_(std::move(tell)), ask_for_call_(std::move(ask_for_call)) {
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

  /// Tells the driver who waits that it does not know of.
  void tell_held();

  /// What the driver says.
  void passed(BarrierPassed x);

  void call(const TaskAttempt& task, BarrierCall call, std::string message,
            Done done) override;
  Result<Messages> addresses(const TaskAttempt& task) override;

private:
  struct Task {
    /// How many barriers it has passed.
    std::int32_t epoch = 0;

    /// Of the one where it waits.
    Done waits;
  };

  /// Those of an attempt at a stage that run here.
  struct Attempt {
    Messages hosts;
    std::uint16_t port = 0;
    std::map<int, Task> tasks;
    std::size_t waiting = 0;

    /// Who waits, and the driver has not been told; and the bytes of their texts.
    std::vector<BarrierArrival> held;
    std::size_t held_bytes = 0;
  };
  using AttemptId = std::pair<StageId, int>;
  using Attempts = std::map<AttemptId, Attempt>;

  static AttemptId attempt_of(const TaskAttempt& task) {
    return {task.stage, task.attempt};
  }

  /// What it is; null: it is not known.
  Attempt* find(const TaskAttempt& task);

  /// What the driver is to be told now, and what it has not been told until then.
  static BarrierArrived take_held(const AttemptId& id, Attempt& x);
  void tell(BarrierArrived x) const;

  const Tell tell_;
  const AskForCall ask_for_call_;
  std::mutex mutex_;
  Attempts attempts_;
  bool asked_for_call_ = false;
};

} // namespace stoker::executor
