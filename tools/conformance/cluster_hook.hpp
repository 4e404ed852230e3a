#pragma once

#include <utility>

#include "scheduling/master/cluster.hpp"
#include "scheduling/master/schedule.hpp"
#include "scheduling/master/step.hpp"
#include "scheduling/master/takeover.hpp"
#include "scheduling/master/workers.hpp"

namespace stoker {

/// What the placement vectors do to a Cluster and no event can express. All
/// else goes through events, the ones that any worker or driver could send.
struct ClusterHook {
  /// Applies `what` without the scheduling pass that would follow: the vectors
  /// make several changes before one pass. Returns its messages.
  static OutgoingMessages apply(Cluster& cluster, Instant now,
                                const Event& what) {
    auto step = begin(cluster, now);
    handle_event(step, what);
    return std::move(step).finish().messages;
  }

  /// Runs one scheduling pass and returns its messages.
  static OutgoingMessages pass(Cluster& cluster, Instant now) {
    auto step = begin(cluster, now);
    handle_event(step, CheckForWorkerTimeOut{});
    finish_recovery(step);
    step.schedule_pass();
    while (step.take_pass())
      run_pass(step);
    return std::move(step).finish().messages;
  }

  /// Admits a worker without cores or without memory, which a registration must
  /// not have; Spark's master admits it.
  static void admit(Cluster& cluster, Instant now, const RegisterWorker& x) {
    auto step = begin(cluster, now);
    add_worker(step, x);
    (void)std::move(step).finish();
  }

  /// Changes only the state, whatever the worker runs.
  static void set_state(Cluster& cluster, const WorkerId& id,
                        WorkerState state) {
    auto step = begin(cluster, cluster.now());
    if (auto key = cluster.state().workers.find(id))
      stoker::set_state(step, *key, state);
    (void)std::move(step).finish();
  }

private:
  static Step begin(Cluster& cluster, Instant now) {
    cluster.state_.now = now;
    return Step{cluster.state_};
  }
};

} // namespace stoker
