// From a queue into the list of those that are given executors.

#include "scheduling/cluster.hpp"

namespace stoker {

namespace {

/// Spark's spark.executor.memory.
constexpr std::int64_t default_memory_mb = 1024;

} // namespace

void Cluster::admit(AppKey key) {
  auto& app = apps_.at(key);
  app.turn = Turn{next_turn_++, key};
  turns_.insert(*app.turn);
  app.cores_per_executor = app.description.cores_per_executor;
  app.memory_per_executor_mb
      = app.description.memory_per_executor_mb.value_or(default_memory_mb);
  update_demand(key);
  claim_reservations(key);
  resources_changed_ = true;
}

} // namespace stoker
