#pragma once

#include <optional>

#include "scheduling/allocation/executor_allocation.hpp"
#include "scheduling/application/application_events.hpp"

namespace stoker {

/// What an application's news mean for its executors; nothing: they change none.
std::optional<ExecutorAllocationEvent>
allocation_event_of(const ApplicationNews& x);

} // namespace stoker
