#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "messages/administration.hpp"
#include "messages/instant.hpp"
#include "storage/change_feed.hpp"
#include "storage/stored_tables.hpp"

namespace stoker {

/// What the leader has committed, and what it has said of itself and its workers besides,
/// which is in no table: whether it leads, when a worker was heard of, which are lost.
class ClusterCopy {
public:
  /// What a master said when it was asked.
  struct Observation {
    Instant at;
    RecoveryState status = RecoveryState::STANDBY;
    std::map<WorkerId, WorkerInfo> workers;
  };

  /// Takes what follows `position`. Another leadership is asked anew.
  void follow(const FeedUpdate& update);

  /// @param x with its workers
  void observe(const MasterStateResponse& x, Instant at);

  /// Where to read on in the feed.
  [[nodiscard]] const FeedPosition& position() const {
    return position_;
  }
  [[nodiscard]] const StoredTables& tables() const {
    return tables_;
  }
  [[nodiscard]] const std::optional<Observation>& observation() const {
    return observation_;
  }

private:
  FeedPosition position_;
  StoredTables tables_;
  std::optional<Observation> observation_;
};

/// What is in use of a worker.
struct WorkerUse {
  int cores = 0;
  std::int64_t memory_mb = 0;
  ResourceAddresses resources;
};

/// What tables do not say, but what follows from them.
struct ClusterUse {
  /// Of executors and drivers that hold something, and of room that is kept.
  std::unordered_map<WorkerId, WorkerUse> workers;

  /// The cores of an application's executors, but for those that are ending.
  std::unordered_map<AppId, int> application_cores;
};
ClusterUse use_of(const StoredTables& tables);

/// Workers, applications or drivers in the order in which they came.
template <class Record, class Id>
std::vector<const Record*> by_number(const std::map<Id, Record>& records) {
  std::vector<const Record*> result;
  for (const auto& [id, x] : records)
    result.push_back(&x);
  std::ranges::sort(result, {}, &Record::number);
  return result;
}

} // namespace stoker
