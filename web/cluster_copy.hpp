#pragma once

#include <map>
#include <optional>
#include <string>

#include "messages/administration.hpp"
#include "messages/instant.hpp"
#include "storage/change_feed.hpp"
#include "storage/stored_tables.hpp"
#include "web/cluster_index.hpp"

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

  // The same in steps: `begin`, then `apply` for each change of the batches, in order.

  void begin(const FeedUpdate& update);
  void apply(const Change& change);

  /// @param x with its workers
  void observe(const MasterStateResponse& x, Instant at);

  /// Workers that are stored no more, but were while this was followed, as long as the
  /// master still shows them.
  struct GoneWorker {
    std::string reason;

    /// In good order: it was stopped, or was to leave.
    bool has_left = false;
  };
  [[nodiscard]] const std::map<WorkerId, GoneWorker>& gone_workers() const {
    return gone_workers_;
  }

  /// Where to read on in the feed.
  [[nodiscard]] const FeedPosition& position() const {
    return position_;
  }
  [[nodiscard]] const StoredTables& tables() const {
    return tables_;
  }
  [[nodiscard]] const ClusterIndex& index() const {
    return index_;
  }
  [[nodiscard]] const std::optional<Observation>& observation() const {
    return observation_;
  }

private:
  FeedPosition position_;
  StoredTables tables_;

  /// Of the tables.
  ClusterIndex index_;
  std::optional<Observation> observation_;
  std::map<WorkerId, GoneWorker> gone_workers_;
};

} // namespace stoker
