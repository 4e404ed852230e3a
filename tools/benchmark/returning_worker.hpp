#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "actors/master_connection.hpp"
#include "scheduling/worker/worker_logic.hpp"
#include "tools/benchmark/counter.hpp"

namespace stoker::benchmark {

/// What has reached workers and applications that find the next master.
struct ReturnTally {
  RoundCounter workers_told{"workers told who leads"};
  RoundCounter apps_told{"applications told who leads"};
  Counter executors_running{"executors known as running"};

  /// Programs end well as soon as they run. Set before there are workers.
  bool programs_end = false;

  /// How often a worker was told to start or end a program.
  std::atomic<std::int64_t> starts{0};
  std::atomic<std::int64_t> ends{0};
};

/// The state of a RETURNING WORKER.
struct ReturningWorkerState {
  /// Makes all decisions, as in a real worker.
  std::optional<WorkerLogic> logic;

  std::optional<WallClock> clock;
  std::optional<MasterConnection<WorkerActor>> connection;
  std::shared_ptr<ReturnTally> tally;
  RoundCounter::Round told = 0;

  /// Names the actor in logs.
  static constexpr const char* name = "returning-worker";
};

/// A worker that is real but for its programs: it reports them as running as soon
/// as it is to start them, and as ended as soon as it is to end them.
WorkerActor::behavior_type
returning_worker(WorkerActor::stateful_pointer<ReturningWorkerState> self,
                 const WorkerConfig& config, const ConnectorActor& connector,
                 const std::shared_ptr<ReturnTally>& tally);

} // namespace stoker::benchmark
