#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "messages/barrier.hpp"
#include "messages/job_ids.hpp"
#include "messages/result.hpp"

namespace stoker::executor {

/// Lets the tasks of an attempt at a barrier stage that run in this executor wait for all
/// others. Functions may be called by any thread.
class BarrierPort {
public:
  /// What all tasks have said, by task; empty strings for BARRIER. Never null.
  using Messages = std::shared_ptr<const std::vector<std::string>>;
  using Done = std::function<void(Result<Messages>)>;

  BarrierPort() = default;
  virtual ~BarrierPort() = default;
  BarrierPort(const BarrierPort&) = delete;
  BarrierPort& operator=(const BarrierPort&) = delete;

  /// The task has come to a barrier. Which one that is, is counted here.
  /// @param message Of ALL_GATHER.
  /// @param done Called once, by any thread, perhaps before this returns: when all have
  /// come, or with an error of one line. A task that waits already fails at once, and so
  /// does one that is not known, is to end, or says more than `barrier_messages_max`: that
  /// is no call.
  virtual void call(const TaskAttempt& task, BarrierCall call,
                    std::string message, Done done)
      = 0;

  /// The addresses of all tasks of the attempt, by task. Fails if the task is not known.
  virtual Result<Messages> addresses(const TaskAttempt& task) = 0;
};

/// Calls, and blocks until all have come or it fails.
[[nodiscard]] Result<BarrierPort::Messages>
wait_at_barrier(BarrierPort& port, const TaskAttempt& task, BarrierCall call,
                std::string message);

} // namespace stoker::executor
