// Executors that were told to end and have not ended yet. What must not be in
// use twice is kept for them until their worker has said that they are gone:
// named resources, which are given exclusively, and an instance's index. All
// else is free at once, as in Spark.

#include <cassert>
#include <utility>

#include "scheduling/master/cluster.hpp"

namespace stoker {

bool Cluster::ends_before_its_room_is_free(const Application& app,
                                           const Executor& executor) {
  return app.instances || !executor.resources.empty();
}

void Cluster::hold_until_exit(AppKey key, const Executor& executor) {
  const auto& app = apps_.at(key);
  PendingRelease ending{executor.worker, executor.cores, executor.memory_mb,
                        executor.resources, std::nullopt};
  if (app.instances)
    ending.index = {key, executor.index.value()};
  ExecutorId id{app.id, executor.exec_id};
  workers_.at(executor.worker).ending.insert(id);
  pending_releases_.emplace(std::move(id), std::move(ending));
}

void Cluster::release_held(const ExecutorId& id) {
  auto node = pending_releases_.extract(id);
  if (node.empty())
    return;
  auto& ending = node.mapped();
  change(ending.worker, [&](Worker& x) {
    x.ending.erase(id);
    x.cores_used -= ending.cores;
    x.memory_used_mb -= ending.memory_mb;
    x.resources.give_back(ending.resources);
    assert(x.cores_used >= 0 && x.memory_used_mb >= 0);
  });
  record_end(id);
  resources_changed_ = true;
  free_index(ending);
}

void Cluster::drop_pending_releases(WorkerKey key) {
  for (const auto& id : std::exchange(workers_.at(key).ending, {})) {
    record_end(id);
    free_index(pending_releases_.extract(id).mapped());
  }
}

void Cluster::free_index(const PendingRelease& ending) {
  if (!ending.index)
    return;
  auto [key, index] = *ending.index;
  auto app = apps_.find(key);
  if (app == apps_.end())
    return;
  app->second.instances->waiting.insert(index);
  update_demand(key);
}

} // namespace stoker
