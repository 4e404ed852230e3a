#include "web/cluster_copy.hpp"

#include <utility>

namespace stoker {

void ClusterCopy::follow(const FeedUpdate& update) {
  if (update.position.epoch != position_.epoch)
    observation_.reset();
  position_ = update.position;
  if (update.snapshot)
    tables_ = StoredTables{*update.snapshot};
  for (const auto& batch : update.batches)
    tables_.apply(*batch);
}

void ClusterCopy::observe(const MasterStateResponse& x, Instant at) {
  Observation observation;
  observation.at = at;
  observation.status = x.status;
  for (const auto& worker : x.workers)
    observation.workers.emplace(worker.id, worker);
  observation_ = std::move(observation);
}

namespace {

void add(WorkerUse& to, int cores, std::int64_t memory_mb,
         const ResourceAddresses& resources) {
  to.cores += cores;
  to.memory_mb += memory_mb;
  for (const auto& [name, addresses] : resources) {
    auto& used = to.resources[name];
    used.insert(used.end(), addresses.begin(), addresses.end());
  }
}

void add(ClusterUse& to, const StoredDriver& x) {
  if (is_finished(x.state) || x.relaunched_as)
    return;
  const auto& wanted = x.description;
  if (x.worker_id)
    add(to.workers[*x.worker_id], wanted.cores, wanted.memory_mb, x.resources);
  if (!wanted.executors)
    return;
  for (const auto& kept : x.reservations)
    add(to.workers[kept.worker_id], wanted.executors->cores,
        wanted.executors->memory_mb, kept.resources);
}

} // namespace

ClusterUse use_of(const StoredTables& tables) {
  ClusterUse result;
  for (const auto& [id, x] : tables.executors()) {
    if (x.ending || !is_finished(x.state))
      add(result.workers[x.worker_id], x.cores, x.memory_mb, x.resources);
    if (!x.ending && !is_finished(x.state))
      result.application_cores[x.app_id] += x.cores;
  }
  for (const auto& [id, x] : tables.drivers())
    add(result, x);
  return result;
}

} // namespace stoker
