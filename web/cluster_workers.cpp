#include "web/cluster_workers.hpp"

namespace stoker {

namespace {

/// A worker that is stored, as the master last said that it is.
WorkerInfo worker_of(const StoredWorker& x, const ClusterUse& use,
                     const ClusterCopy::Observation& observation) {
  WorkerInfo result{x.id, x.host, x.port, x.state, x.cores};
  result.memory_mb = x.memory_mb;
  result.resources = x.resources;
  result.last_heartbeat_ms = to_ms(observation.at);
  if (auto found = observation.workers.find(x.id);
      found != observation.workers.end()) {
    result.state = found->second.state;
    result.last_heartbeat_ms = found->second.last_heartbeat_ms;
  }
  if (auto found = use.workers.find(x.id); found != use.workers.end()) {
    result.cores_used = found->second.cores;
    result.memory_used_mb = found->second.memory_mb;
    result.resources_used = found->second.resources;
  }
  return result;
}

} // namespace

std::vector<WorkerInfo> workers_of(const ClusterCopy& cluster,
                                   const ClusterUse& use) {
  const auto& tables = cluster.tables();
  const auto& observation = *cluster.observation();
  std::vector<WorkerInfo> result;
  for (const auto* x : by_number(tables.workers()))
    result.push_back(worker_of(*x, use, observation));
  // Those that are lost are stored no more.
  for (const auto& [id, x] : observation.workers)
    if (x.state == WorkerState::DEAD && !tables.workers().contains(id)) {
      auto& lost = result.emplace_back(x);
      lost.cores_used = 0;
      lost.memory_used_mb = 0;
      lost.resources_used.clear();
    }
  return result;
}

} // namespace stoker
