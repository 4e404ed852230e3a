#pragma once

#include <string>
#include <utility>
#include <variant>

#include "scheduling/master/cluster.hpp"

namespace stoker {

/// What the placement vectors do to a Cluster and no event can express. All
/// else goes through events, the ones that any worker or driver could send.
struct ClusterHook {
  /// Applies `what` without the scheduling pass that would follow: the vectors
  /// make several changes before one pass. Returns its effects.
  static OutgoingMessages apply(Cluster& cluster, Instant now, const Event& what) {
    cluster.now_ = now;
    std::visit([&](const auto& x) { cluster.on(x); }, what);
    return std::exchange(cluster.out_, {}).messages;
  }

  /// Runs one scheduling pass and returns its effects.
  static OutgoingMessages pass(Cluster& cluster, Instant now) {
    cluster.resources_changed_ = true;
    return cluster.step(now, CheckForWorkerTimeOut{}).messages;
  }

  /// Admits a worker without cores or without memory, which is refused at the
  /// door; Spark's master lets it in.
  static void admit(Cluster& cluster, Instant now, const RegisterWorker& x) {
    cluster.now_ = now;
    cluster.add_worker(x);
    // Workers with nothing to give do not stand in the index.
    cluster.change(*cluster.find_worker(x.id), [](Worker&) {});
    cluster.out_ = {};
  }

  /// Changes only the state, whatever the worker runs.
  static void set_state(Cluster& cluster, const WorkerId& id,
                        WorkerState state) {
    if (auto key = cluster.find_worker(id))
      cluster.change(*key, [&](Worker& worker) { worker.state = state; });
  }
};

} // namespace stoker
