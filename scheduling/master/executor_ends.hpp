#pragma once

#include <optional>

#include "messages/executor.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

/// Its worker could not start it, and no other reason is known: not that there is
/// no such command, which has an exit status.
inline bool is_failed_start(ExecutorState state,
                            std::optional<int> exit_status) {
  return state == ExecutorState::FAILED && !exit_status;
}

/// Decides what the end of an executor means for its application: nothing, an
/// instance that is done or is started again, or the application's failure.
/// @param executor As it was; it has left its application.
void handle_executor_exit(Step& step, AppKey app,
                          const StoredExecutor& executor,
                          const ExecutorStateChanged& end);

/// Whether an instance that was lost with its worker has ended well after all, and is not
/// done yet.
[[nodiscard]] bool is_good_late_end(const Application& app,
                                    const ExecutorStateChanged& end);

/// An executor that is not present any more has ended. If it is an instance that
/// was lost with its worker, and has ended well there after all, it need not run
/// again: another attempt at it is ended.
void handle_late_end(Step& step, AppKey app, const ExecutorStateChanged& end);

} // namespace stoker
