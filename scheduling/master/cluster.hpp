#pragma once

#include "scheduling/master/cluster_state.hpp"
#include "scheduling/master/events.hpp"
#include "scheduling/master/step_result.hpp"

namespace stoker {

class Step;

/// The master's decisions (document 000): who is admitted, what runs where, and
/// what follows when something ends or is lost. Deterministic: equal
/// configurations and events at equal instants give equal results, so that a
/// log of events can be replayed.
///
/// A master:
///
///              ElectedLeader                all have answered,
///     STANDBY ---------------> RECOVERING -------------------> ALIVE
///        ^                                  or time is up         |
///        +-------------------- LeadershipEnded -------------------+
///
/// A new leader goes on from what is stored as if all connections had broken:
/// it has the same tables, workers are UNKNOWN until they have reported, and
/// drivers have the same time to come back. Until it is ALIVE it starts
/// nothing. With nothing stored it is ALIVE at once.
///
/// A worker:
///
///                      RegisterWorker
///     (unknown) --------------------------> ALIVE <---------+
///         ^                                  | |            | reported
///         | shown long enough   heartbeats   | | connection | in time
///         |                     stop         | v broke      |
///        DEAD <------------------------------+ UNKNOWN -----+
///         ^                                        |
///         +----------------------------------------+ did not
///     DECOMMISSIONED: takes nothing new; DEAD when it leaves.
///
/// An executor: LAUNCHING, RUNNING, then one of KILLED, FAILED, EXITED (as its
/// worker says) or LOST (with its worker). DECOMMISSIONED: its worker leaves;
/// it has left its application.
///
/// A driver: SUBMITTED, RUNNING, then one of FINISHED, FAILED, KILLED, ERROR;
/// RELAUNCHING under a new id when its worker is lost and it is supervised.
///
/// A master that was stalled (MasterStalled) loses nobody for that: all deadlines
/// on what others have to do move by as much.
///
/// Every event that frees or adds resources, or adds work, ends in one
/// scheduling pass: drivers first, then applications in order of admission,
/// which without tenants is that of submission.
///
/// The state is a plain value, made of owners (scheduling/master/cluster_state.hpp);
/// what holds between them after each step: scheduling/master/invariants.hpp.
class Cluster {
public:
  /// @pre `validate(config)`
  explicit Cluster(ClusterConfig config);

  /// Applies `what` at time `now` and returns what follows.
  /// @pre `now` does not go backwards from call to call.
  [[nodiscard]] StepResult step(Instant now, const Event& what);

  /// From now on all that ends is kept, whatever the configuration says: for a copy that
  /// is stepped to see what would become of it.
  void keep_what_ends();

  /// It starts so many executors more, and then none: for a copy of which nobody wants to
  /// see more.
  void limit_starts(int count);

  /// All that it knows. Questions about it are free functions
  /// (scheduling/master/snapshot.hpp, scheduling/planning/).
  [[nodiscard]] const ClusterState& state() const noexcept {
    return state_;
  }

  [[nodiscard]] const ClusterConfig& config() const noexcept {
    return state_.config;
  }

  [[nodiscard]] RecoveryState status() const noexcept {
    return state_.recovery.status();
  }

  /// The leadership that it speaks for, while it leads.
  [[nodiscard]] LeaderEpoch epoch() const noexcept {
    return state_.recovery.epoch();
  }

  /// The time of the last step.
  [[nodiscard]] Instant now() const noexcept {
    return state_.now;
  }

private:
  /// What placement vectors need and no event expresses
  /// (tools/conformance/cluster_hook.hpp).
  friend struct ClusterHook;

  ClusterState state_;
};

/// Hands an event to the functions of its subject, without the scheduling pass
/// that ends a step.
void handle_event(Step& step, const Event& what);

} // namespace stoker
