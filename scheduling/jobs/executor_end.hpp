#pragma once

#include <optional>

#include "messages/executor.hpp"
#include "scheduling/jobs/job_events.hpp"

namespace stoker {

/// What the master's word on an executor means for its tasks; nothing: it has not
/// ended. SIGKILL and SIGTERM come from outside, as does a loss: the tasks are not to
/// blame.
std::optional<ExecutorEnded> end_of(const ExecutorUpdated& x);

} // namespace stoker
