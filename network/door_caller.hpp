#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "network/door.hpp"
#include "network/door_threads.hpp"

namespace stoker {

/// Connects to the door of another process, in one of the threads. Calls `done`
/// once: with a connection, or with why there is none, after `timeout` at the
/// latest. What is returned ends the attempt; from any thread, as long as the
/// threads are there.
std::function<void()>
call_door(DoorThreads& threads, std::shared_ptr<const DoorConfig> config,
          std::shared_ptr<LocalStreams> streams, const MasterAddress& to,
          std::chrono::milliseconds timeout,
          std::function<void(Result<Door::Connection>)> done);

} // namespace stoker
