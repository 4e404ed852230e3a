#pragma once

// Executors: their launch, their states, and what their end means.

#include <optional>
#include <string>

#include "messages/executor.hpp"
#include "scheduling/master/room.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

void handle(Step& step, const ExecutorStateChanged& x);

/// Starts `count` executors that share `cores` evenly.
/// @pre The worker has room for them.
void launch_executors(Step& step, AppKey app, WorkerKey worker, int cores,
                      int count);

/// How an executor ended.
struct ExecutorEnd {
  ExecutorState state = ExecutorState::KILLED;
  std::optional<int> exit_status;
  std::optional<std::string> message;
  std::optional<ResourceUse> use;

  /// Unset: now.
  std::optional<Instant> at;
};

/// When an executor ended of which this is said now.
[[nodiscard]] Instant time_of_end(const Step& step,
                                  const StoredExecutor& executor,
                                  const ExecutorStateChanged& end);

/// Takes an executor out of its application, its worker and the ledger. An
/// instance waits to be started again. Returns it as it was.
StoredExecutor remove_executor(Step& step, ExecutorRef ref, ExecutorEnd end,
                               Room room);

/// Tells its worker to end it.
void kill_executor(Step& step, ExecutorRef ref, const std::string& reason);

/// It is gone with its worker, or unknown to it.
void lose_executor(Step& step, ExecutorRef ref, const std::string& reason,
                   Room room);

/// An instance was lost with its worker, and the worker has come back with it. If
/// nobody has started it again, and there is room, it goes on as if nothing had
/// happened. Returns whether it does.
bool take_back(Step& step, AppKey app, WorkerKey worker,
               const ExecutorDescription& x);

/// Tells a driver that came back of all its executors again: what was sent while
/// it was away is lost.
void resend_executors(Step& step, const Application& app);

/// The same of one that has ended, as far as its executors are kept.
void resend_executors(Step& step, const EndedApplication& app);

/// Forgets ended executors beyond those that are kept for viewing.
void forget_ended(Step& step, AppKey key);

// -- what is held for executors that were told to end -------------------------

/// The executor has ended: what it held is free. An unknown one is harmless.
void release_held(Step& step, const ExecutorId& id);

/// The executor's worker is lost, and with it what was held there.
void drop_release(Step& step, const ExecutorId& id);

} // namespace stoker
