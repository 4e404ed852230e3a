#include "web/cluster_copy.hpp"

#include <utility>

namespace stoker {

void ClusterCopy::follow(const FeedUpdate& update) {
  begin(update);
  for (const auto& batch : update.batches)
    for (const auto& change : *batch)
      apply(change);
}

void ClusterCopy::begin(const FeedUpdate& update) {
  if (update.position.epoch != position_.epoch)
    observation_.reset();
  position_ = update.position;
  if (update.snapshot) {
    tables_ = StoredTables{*update.snapshot};
    index_ = ClusterIndex{tables_};
  }
}

void ClusterCopy::apply(const Change& change) {
  index_.apply(tables_, change);
}

void ClusterCopy::observe(const MasterStateResponse& x, Instant at) {
  Observation observation;
  observation.at = at;
  observation.status = x.status;
  for (const auto& worker : x.workers)
    observation.workers.emplace(worker.id, worker);
  observation_ = std::move(observation);
}

} // namespace stoker
