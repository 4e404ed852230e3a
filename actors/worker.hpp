#pragma once

#include <memory>
#include <optional>
#include <string>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "process/monitor.hpp"
#include "scheduling/worker/worker_logic.hpp"
#include "storage/worker_identity.hpp"

namespace stoker {

/// The state of the WORKER.
struct WorkerActorState {
  /// Makes all decisions.
  std::optional<WorkerLogic> logic;

  std::optional<WallClock> clock;
  ConnectorActor connector;

  /// The master that the worker is connected to, if any.
  MasterActor master;

  /// Counts connections, so that the late end of an old one is ignored.
  std::uint64_t connection = 0;

  /// Whether the log has a line about the present search for a master.
  bool told_of_search = false;

  /// Holds the supervisors' ends.
  std::unique_ptr<process::Monitor> monitor;

  /// What a successor finds; nothing is remembered without it.
  std::shared_ptr<WorkerIdentity> identity;

  /// Tells why the worker ended; empty when it was asked to.
  std::function<void(const std::string& error)> on_end;

  /// Names the actor in logs.
  static constexpr const char* name = "worker";
};

/// Wires a WorkerLogic to its master, to supervised processes and to the clock.
/// It blocks its thread while it starts processes and reads logs.
/// @param supervisor See process::MonitorConfig.
/// @param on_end Called once, on the actor's thread.
/// @param identity Where the worker remembers what it runs, and finds what its
/// predecessor ran. Given up when the worker ends. Null for one that nobody goes
/// on with.
WorkerActor::behavior_type
worker(WorkerActor::stateful_pointer<WorkerActorState> self,
       WorkerConfig config, ConnectorActor connector,
       process::MonitorConfig supervisor,
       std::function<void(const std::string& error)> on_end,
       std::shared_ptr<WorkerIdentity> identity);

} // namespace stoker
