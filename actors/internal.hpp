#pragma once

// Messages between actors of one process. They never travel, so CAF needs no
// way to serialize them.

#include <caf/allowed_unsafe_message_type.hpp>

#include "scheduling/worker/worker_logic.hpp"

namespace stoker {

/// What a worker learns from its surroundings.
struct WorkerInternal {
  WorkerEvent event;
};

/// Leave the master, then end.
struct StopAppClient {};

struct AppClientTick {};

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::WorkerInternal)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::StopAppClient)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AppClientTick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ConnectToMaster)
