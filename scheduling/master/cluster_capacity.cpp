// What workers have free, and which applications it may be of use to: keeps the
// pools true.

#include "scheduling/master/cluster.hpp"

namespace stoker {

namespace {

std::uint32_t number(WorkerKey key) {
  return static_cast<std::uint32_t>(key);
}

} // namespace

Pool& Cluster::pool(const std::string& resource) {
  if (resource.empty())
    return pool_;
  auto i = named_pools_.find(resource);
  if (i == named_pools_.end())
    i = named_pools_.emplace(resource, Pool{config_.worker_selection}).first;
  return i->second;
}

Pool& Cluster::pool_of(const Application& app) {
  const auto& named = app.description.resources_per_executor;
  return pool(named.empty() ? std::string{} : named.begin()->first);
}

void Cluster::index_worker(WorkerKey key) {
  const auto& worker = workers_.at(key);
  auto alive = worker.state == WorkerState::ALIVE;
  std::optional<ExecutorSize> free;
  if (alive && worker.cores_free() > 0)
    free = ExecutorSize{worker.cores_free(), worker.memory_free_mb()};
  pool_.set_free(key, worker.id, free);
  for (const auto& [name, any_free] : worker.resources.names())
    pool(name).set_free(key, worker.id, any_free ? free : std::nullopt);
  if (alive || worker.state == WorkerState::UNKNOWN)
    totals_.set(number(key), worker.id.value, {worker.cores, worker.memory_mb});
  else
    totals_.erase(number(key));
  if (tenants_)
    count_worker(key);
}

void Cluster::count_worker(WorkerKey key) {
  auto& worker = workers_.at(key);
  auto alive = worker.state == WorkerState::ALIVE;
  if (alive)
    census_.set(number(key), worker.cores_free(), worker.memory_free_mb());
  else
    census_.erase(number(key));
  if (alive == worker.counted)
    return;
  worker.counted = alive;
  Resources all{worker.cores, worker.memory_mb};
  if (alive)
    alive_ += all;
  else
    alive_ -= all;
  tenants_->set_cluster(now_, alive_);
}

FreeResources Cluster::free_for(const Worker& worker,
                                const ResourceAmounts& named) {
  return {worker.cores_free(), worker.memory_free_mb(),
          worker.resources.times(named)};
}

bool Cluster::has_room(const Worker& worker, ExecutorSize size,
                       const ResourceAmounts& named) {
  return fits_in(size, {worker.cores_free(), worker.memory_free_mb()})
         && worker.resources.times(named) > 0;
}

void Cluster::update_demand(AppKey key) {
  const auto& app = apps_.at(key);
  if (!app.turn)
    return;
  if (tenants_)
    update_tenant(key);
  auto size = app.executor_size();
  auto wants = cores_left(app) >= size.cores && executors_left(app) > 0;
  // One that fits on no worker at all does not keep others waiting.
  if (tenants_)
    tenants_->set_waiting(key, wants && totals_.fits(size));
  pool_of(app).set_wanted(*app.turn,
                          wants ? std::optional{size} : std::nullopt);
}

} // namespace stoker
