#include "web/cluster_copy.hpp"

#include <utility>
#include <variant>

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
    gone_workers_.clear();
    tables_ = StoredTables{*update.snapshot};
    index_ = ClusterIndex{tables_};
  }
}

void ClusterCopy::apply(const Change& change) {
  if (const auto* erased = std::get_if<EraseWorker>(&change)) {
    auto found = tables_.workers().find(erased->id);
    gone_workers_[erased->id]
        = {erased->reason,
           erased->has_left
               || (found != tables_.workers().end()
                   && found->second.state == WorkerState::DECOMMISSIONED)};
  } else if (const auto* worker = std::get_if<StoredWorker>(&change)) {
    gone_workers_.erase(worker->id);
  }
  index_.apply(tables_, change);
}

void ClusterCopy::observe(const MasterStateResponse& x, Instant at) {
  Observation observation;
  observation.at = at;
  observation.status = x.status;
  for (const auto& worker : x.workers)
    observation.workers.emplace(worker.id, worker);
  std::erase_if(gone_workers_, [&](const auto& gone) {
    return !observation.workers.contains(gone.first);
  });
  observation_ = std::move(observation);
}

} // namespace stoker
