#pragma once

#include <utility>

#include "scheduling/worker/worker_logic.hpp"
#include "tests/scheduling/registration/played_connection.hpp"

namespace stoker::test {

/// Of the worker that tests use: w1 at h1 with 4 cores and 4 GB.
inline WorkerConfig traced_worker() {
  WorkerConfig result;
  result.id = WorkerId{"w1"};
  result.endpoint = EndpointId{"e1"};
  result.host = "h1";
  result.cores = 4;
  result.memory_mb = 4096;
  result.work_directory = "/work";
  return result;
}

/// A WorkerLogic and its connection to a master, which the test plays.
class PlayedWorker {
public:
  explicit PlayedWorker(WorkerConfig config = traced_worker())
      : logic_(std::move(config)) {
  }

  WorkerEffects step(Instant now, const WorkerEvent& what) {
    return connection_.note(logic_.step(now, connection_.of_present(what)));
  }

  WorkerEffects step(Instant now, const MessageToWorker& what,
                     LeaderEpoch epoch = {}) {
    return connection_.note(logic_.hear(now, connection_.origin(epoch), what));
  }

  /// Has it start and register at `now`.
  void start_registered(Instant now) {
    (void)step(now, WorkerStarted{});
    (void)step(now, MasterConnected{});
    (void)step(now, RegisteredWorker{"stoker://m1:7070", false});
  }

  WorkerLogic& logic() {
    return logic_;
  }
  const PlayedConnection& connection() const {
    return connection_;
  }

private:
  WorkerLogic logic_;
  PlayedConnection connection_;
};

} // namespace stoker::test
