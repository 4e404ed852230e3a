#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "messages/ids.hpp"
#include "messages/resources.hpp"
#include "messages/states.hpp"
#include "storage/stored_tables.hpp"

namespace stoker {

/// What is in use of a worker.
struct WorkerUse {
  int cores = 0;
  std::int64_t memory_mb = 0;
  std::map<std::string, std::multiset<std::string>> resources;

  friend bool operator==(const WorkerUse&, const WorkerUse&) = default;
};

/// What tables do not say, but what follows from them, kept up to date change by change.
class ClusterIndex {
public:
  ClusterIndex() = default;

  /// Of all that is there.
  explicit ClusterIndex(const StoredTables& tables);

  /// Makes a change to the tables, and what follows from it.
  void apply(StoredTables& tables, const Change& change);

  /// Of executors and drivers that hold something of a worker, and of room that is kept.
  [[nodiscard]] const WorkerUse& use_of(const WorkerId& x) const;

  /// The cores of an application's executors, but for those that are ending.
  [[nodiscard]] int cores_of(const AppId& x) const;

  /// How many of its instances are done, while it is present.
  [[nodiscard]] int instances_done_of(const AppId& x) const;

  /// Executors that hold something of a worker.
  [[nodiscard]] const std::set<ExecutorId>&
  executors_on(const WorkerId& x) const;

  /// Drivers that do.
  [[nodiscard]] const std::set<DriverId>& drivers_on(const WorkerId& x) const;

  // In the order in which they came, by number.

  [[nodiscard]] const std::map<std::uint32_t, AppId>&
  active_applications() const {
    return active_applications_;
  }
  [[nodiscard]] const std::map<std::uint32_t, AppId>&
  ended_applications() const {
    return ended_applications_;
  }
  [[nodiscard]] const std::map<std::uint32_t, DriverId>&
  active_drivers() const {
    return active_drivers_;
  }
  [[nodiscard]] const std::map<std::uint32_t, DriverId>& ended_drivers() const {
    return ended_drivers_;
  }
  [[nodiscard]] const std::map<std::uint32_t, WorkerId>& workers() const {
    return workers_;
  }

  // How many of those that have not ended are in a state.

  [[nodiscard]] const std::map<ApplicationState, int>& applications_in() const {
    return applications_in_;
  }
  [[nodiscard]] const std::map<ExecutorState, int>& executors_in() const {
    return executors_in_;
  }
  [[nodiscard]] const std::map<DriverState, int>& drivers_in() const {
    return drivers_in_;
  }

  friend bool operator==(const ClusterIndex&, const ClusterIndex&) = default;

private:
  struct Applier;

  // A record comes (+1) or goes (-1).
  void count(const StoredWorker& x, int sign);
  void count(const StoredApplication& x, int sign);
  void count(const StoredInstance& x, int sign);
  void count(const StoredExecutor& x, int sign);
  void count(const StoredDriver& x, int sign);
  void hold(const WorkerId& worker, int cores, std::int64_t memory_mb,
            const ResourceAddresses& resources, int sign);

  std::unordered_map<WorkerId, WorkerUse> use_;
  std::unordered_map<AppId, int> application_cores_;
  std::unordered_map<AppId, int> instances_done_;
  std::unordered_map<WorkerId, std::set<ExecutorId>> executors_on_;
  std::unordered_map<WorkerId, std::set<DriverId>> drivers_on_;
  std::map<std::uint32_t, WorkerId> workers_;
  std::map<std::uint32_t, AppId> active_applications_;
  std::map<std::uint32_t, AppId> ended_applications_;
  std::map<std::uint32_t, DriverId> active_drivers_;
  std::map<std::uint32_t, DriverId> ended_drivers_;
  std::map<ApplicationState, int> applications_in_;
  std::map<ExecutorState, int> executors_in_;
  std::map<DriverState, int> drivers_in_;
};

/// Whether it is over, also of one that another one goes on for.
[[nodiscard]] bool has_ended(const StoredApplication& x);
[[nodiscard]] bool has_ended(const StoredDriver& x);

} // namespace stoker
