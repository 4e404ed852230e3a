#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "messages/leader_epoch.hpp"
#include "scheduling/common/random.hpp"
#include "scheduling/master/config.hpp"
#include "scheduling/master/step_result.hpp"
#include "scheduling/master/records.hpp"
#include "scheduling/master/touched_records.hpp"
#include "scheduling/placement/executor_sizing.hpp"
#include "scheduling/placement/pool.hpp"
#include "scheduling/tenants/tenant_tree.hpp"

namespace stoker {

/// All that a Cluster knows. A plain value; what may be in it together is the
/// Cluster's affair (`Cluster::invariant_violation`).
struct ClusterState {
  /// @pre `!validate(config)`
  explicit ClusterState(ClusterConfig config)
      : config_(std::move(config)), random_(config_.seed),
        pool_(config_.worker_selection) {
  }

  ClusterConfig config_;
  Random random_;
  RecoveryState status_ = RecoveryState::STANDBY;
  LeaderEpoch epoch_;
  Instant now_;

  /// Whom a new leader has asked and who has not answered, and until when it
  /// waits for them.
  std::set<WorkerKey> silent_workers_;
  std::set<AppKey> silent_apps_;
  Instant recovery_due_;

  /// What this step changes of what is stored.
  TouchedRecords touched_;

  /// Whether this step has to end with a scheduling pass.
  bool resources_changed_ = false;

  StepResult out_;

  /// What ids of the present second have in common.
  std::string date_;
  std::optional<Instant> date_of_;

  std::map<WorkerKey, Worker> workers_;
  std::unordered_map<WorkerId, WorkerKey> worker_keys_;
  std::uint32_t next_worker_ = 0;

  /// Workers that listen, by host and port.
  std::map<std::pair<std::string, int>, WorkerKey> worker_addresses_;

  /// Workers by host.
  std::unordered_map<std::string, std::set<WorkerKey>> hosts_;

  /// All workers with free cores, and those with some of a named resource.
  Pool pool_;
  std::map<std::string, Pool> named_pools_;

  /// What workers that take part have in all.
  CapacityIndex totals_;

  std::map<AppKey, Application> apps_;
  std::unordered_map<AppId, AppKey> app_keys_;
  std::uint32_t next_app_ = 0;

  /// Unset: everybody is admitted.
  std::optional<TenantTree> tenants_;
  FreeCensus census_{{}};

  /// What ALIVE workers have in all.
  Resources alive_;

  /// Executors that were told to end and hold something until they have.
  std::map<ExecutorId, PendingRelease> pending_releases_;

  /// Those that were admitted.
  std::set<QueuePosition> admitted_;
  std::uint64_t next_position_ = 0;

  /// Oldest first.
  std::deque<ApplicationInfo> completed_apps_;

  std::map<DriverKey, Driver> drivers_;
  std::unordered_map<DriverId, DriverKey> driver_keys_;
  std::uint32_t next_driver_ = 0;
  std::deque<DriverKey> waiting_drivers_;

  /// Drivers that have a worker.
  int running_drivers_ = 0;

  /// Oldest first.
  std::deque<DriverKey> completed_drivers_;

  /// Who is behind an endpoint.
  std::unordered_map<EndpointId, WorkerKey> worker_endpoints_;
  std::unordered_map<EndpointId, AppKey> app_endpoints_;

  enum class Due { worker, application, driver, recovery };

  /// When which worker, application or driver has to be looked at. Entries may be
  /// stale: looking too early or twice changes nothing.
  std::set<std::tuple<Instant, Due, std::uint32_t>> checks_;

  /// The earliest wake-up that is still pending.
  std::optional<Instant> armed_for_;
};

} // namespace stoker
