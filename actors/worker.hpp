#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/input.hpp"
#include "actors/interfaces.hpp"
#include "actors/master_connection.hpp"
#include "actors/output.hpp"
#include "outputs/worker_outputs.hpp"
#include "process/monitor.hpp"
#include "scheduling/worker/worker_logic.hpp"
#include "storage/directory_remover.hpp"
#include "storage/worker_identity.hpp"

namespace stoker {

/// The state of the WORKER.
struct WorkerActorState {
  /// Makes all decisions.
  std::optional<WorkerLogic> logic;

  std::optional<WallClock> clock;
  std::optional<MasterConnection<WorkerActor>> connection;

  /// Holds the supervisors' ends.
  std::shared_ptr<process::Monitor> monitor;

  /// Reads output for those who ask.
  OutputActor output;

  /// Waits for programs to take what is written to them.
  InputActor input;

  /// Removes what nobody needs any more.
  std::unique_ptr<DirectoryRemover> remover;

  /// Puts files into directories. Null: nothing has needed it.
  FileFetcherActor fetcher;

  /// Programs that wait for that, by the ticket of their order.
  struct WaitingProgram {
    ProgramId id;
    process::LaunchSpec spec;
  };
  std::map<std::uint64_t, WaitingProgram> waiting_programs;
  std::uint64_t last_ticket = 0;

  /// What executors write; null: nothing is served.
  std::shared_ptr<WorkerOutputs> outputs;

  /// Where a successor finds what runs; nothing is stored without it.
  std::shared_ptr<WorkerIdentity> identity;

  /// Told why the worker has ended.
  std::function<void(const StopWorker&)> on_end;

  /// Names the actor in logs.
  static constexpr const char* name = "worker";
};

using WorkerSelf = WorkerActor::stateful_pointer<WorkerActorState>;

/// Wires a WorkerLogic to its master, to supervised processes and to the clock.
/// It blocks its thread while it starts processes.
/// @param supervisor See process::MonitorConfig.
/// @param on_end Called once, on the actor's thread.
/// @param identity Where the worker stores what it runs, and finds what its
/// predecessor ran. Given up when the worker ends. Null for a worker that has no
/// successor.
/// @param outputs Serves what executors write. Null: nothing does.
WorkerActor::behavior_type worker(WorkerSelf self, WorkerConfig config,
                                  ConnectorActor connector,
                                  process::MonitorConfig supervisor,
                                  std::function<void(const StopWorker&)> on_end,
                                  std::shared_ptr<WorkerIdentity> identity,
                                  std::shared_ptr<WorkerOutputs> outputs);

} // namespace stoker
