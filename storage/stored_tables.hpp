#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "scheduling/master/stored.hpp"

namespace stoker {

/// What is stored, as maps from key to record: says what changes mean. Pure.
class StoredTables {
public:
  StoredTables() = default;
  explicit StoredTables(const StoredState& state);

  void apply(const Change& change);

  /// In order.
  void apply(const Changes& changes);

  /// Workers, applications and drivers in order of number, then id; all others
  /// in order of their keys.
  [[nodiscard]] StoredState snapshot() const;

  // As they are, for who reads them where they stand.
  [[nodiscard]] const std::optional<ClusterConfig>& config() const {
    return config_;
  }
  [[nodiscard]] const std::map<WorkerId, StoredWorker>& workers() const {
    return workers_;
  }
  [[nodiscard]] const std::map<AppId, StoredApplication>& applications() const {
    return applications_;
  }
  [[nodiscard]] const std::map<std::pair<AppId, int>, StoredInstance>&
  instances() const {
    return instances_;
  }
  [[nodiscard]] const std::map<ExecutorId, StoredExecutor>& executors() const {
    return executors_;
  }
  [[nodiscard]] const std::map<DriverId, StoredDriver>& drivers() const {
    return drivers_;
  }

private:
  void put(const StoredWorker& x);
  void put(const StoredApplication& x);
  void put(const StoredInstance& x);
  void put(const StoredExecutor& x);
  void put(const StoredDriver& x);
  void put(const StoredCompany& x);
  void put(const StoredUser& x);
  void put(const StoredCounters& x);
  void put(const ClusterConfig& x);
  void put(const EraseWorker& x);
  void put(const EraseApplication& x);
  void put(const EraseInstancesOf& x);
  void put(const EraseExecutor& x);
  void put(const EraseExecutorsOf& x);
  void put(const EraseDriver& x);
  void put(const EraseUser& x);

  std::optional<ClusterConfig> config_;
  StoredCounters counters_;
  std::map<WorkerId, StoredWorker> workers_;
  std::map<AppId, StoredApplication> applications_;
  std::map<std::pair<AppId, int>, StoredInstance> instances_;
  std::map<ExecutorId, StoredExecutor> executors_;
  std::map<DriverId, StoredDriver> drivers_;
  std::map<std::string, StoredCompany> companies_;
  std::map<std::string, StoredUser> users_;
};

} // namespace stoker
