#pragma once

#include <set>
#include <utility>

#include "scheduling/common/keys.hpp"
#include "scheduling/master/records.hpp"
#include "scheduling/master/stored.hpp"
#include "scheduling/tenants/tenants_stored.hpp"

namespace stoker {

class Admission;
struct Application;
struct ClusterState;

/// What one step changes of what is stored. Records are made when the step ends,
/// so that each is stored once a step, as it is then.
class ChangeSet {
public:
  /// With `durable` unset it takes nothing.
  explicit ChangeSet(bool durable) : durable_(durable) {
  }

  // The step changes something of this.
  void touch_counters() {
    counters_ = durable_;
  }
  void touch(WorkerKey key) {
    if (durable_)
      workers_.insert(key);
  }
  void touch(AppKey key) {
    if (durable_)
      apps_.insert(key);
  }
  void touch(ExecutorRef executor) {
    if (durable_)
      executors_.insert(executor);
  }
  void touch_instance(AppKey app, int index) {
    if (durable_)
      instances_.emplace(app, index);
  }
  void touch(DriverKey key) {
    if (durable_)
      drivers_.insert(key);
  }

  /// Whether the step has changed something of it.
  [[nodiscard]] bool touches(DriverKey key) const {
    return drivers_.contains(key);
  }

  /// What is erased, or the last record of what is present no longer. Stands
  /// before all others, in order.
  void record(Change change);

  /// All changes. What was touched and is present no longer has been recorded
  /// otherwise.
  [[nodiscard]] Changes finish(const ClusterState& state,
                               TenantChanges tenants) &&;

private:
  bool durable_;
  bool counters_ = false;
  std::set<WorkerKey> workers_;
  std::set<AppKey> apps_;
  std::set<std::pair<AppKey, int>> instances_;
  std::set<ExecutorRef> executors_;
  std::set<DriverKey> drivers_;
  Changes recorded_;
};

/// The record to store of a worker: until it has reported again, it is as it was.
[[nodiscard]] StoredWorker record_of(const Worker& worker);

/// The record to store of an application. What counts for its tenant is known to
/// the tenants once it is admitted.
[[nodiscard]] StoredApplication record_of(const Application& app,
                                          const Admission& admission);

/// The record to store of a driver, which is there.
[[nodiscard]] StoredDriver record_of(const ClusterState& state, DriverKey key);

} // namespace stoker
