// From a user's queue into the list of those that are given executors
// (document 001). Without tenants everybody is admitted at once.

#include <algorithm>
#include <limits>

#include "scheduling/master/cluster.hpp"

namespace stoker {

namespace {

/// Spark's spark.executor.memory.
constexpr std::int64_t default_memory_mb = 1024;

/// A part of memory, rounded up.
std::int64_t share_of(std::int64_t memory_mb, std::int64_t cores, int of) {
  return (memory_mb * cores + of - 1) / of;
}

} // namespace

// -- what an application asks for ---------------------------------------------

int Cluster::cores_max_of(const Application& app) const {
  if (app.description.max_cores)
    return *app.description.max_cores;
  if (tenants_)
    return tenants_->config().default_request_cores;
  return config_.default_cores.value_or(std::numeric_limits<int>::max());
}

ExecutorSize Cluster::size_for(const Application& app) const {
  const auto& description = app.description;
  auto sized = size_executor(census_, std::max(1, cores_max_of(app)),
                             description.memory_per_task_mb);
  ExecutorSize result = sized;
  if (description.cores_per_executor)
    result.cores = *description.cores_per_executor;
  result.memory_mb = description.memory_per_executor_mb.value_or(
      share_of(sized.memory_mb, result.cores, sized.cores));
  return result;
}

Resources Cluster::request_of(const Application& app, ExecutorSize size) const {
  auto executors = std::int64_t{executors_left(app)}
                   + static_cast<std::int64_t>(app.executors.size());
  auto cores
      = std::min<std::int64_t>(cores_max_of(app), executors * size.cores);
  // Executors that are no longer wanted run on until they end.
  cores = std::max<std::int64_t>(cores, app.cores_granted);
  return {cores, share_of(size.memory_mb, cores, size.cores)};
}

// -- joining ------------------------------------------------------------------

std::optional<std::string> Cluster::join_queue(AppKey key) {
  auto& app = apps_.at(key);
  const auto& description = app.description;
  app.requested = request_of(app, size_for(app));
  if (auto why = tenants_->refusal(description.user, app.requested))
    return why;
  tenants_->add(
      now_, key,
      {description.user, app.requested, description.priority, description.sql});
  return std::nullopt;
}

void Cluster::admit(AppKey key) {
  auto& app = apps_.at(key);
  app.turn = QueuePosition{next_position_++, key};
  admitted_.insert(*app.turn);
  touch(key);
  if (tenants_) {
    // As the cluster is now, not as it was when the application came.
    auto size = size_for(app);
    app.cores_per_executor = size.cores;
    app.memory_per_executor_mb = size.memory_mb;
  } else {
    app.cores_per_executor = app.description.cores_per_executor;
    app.memory_per_executor_mb
        = app.description.memory_per_executor_mb.value_or(default_memory_mb);
  }
  update_demand(key);
  claim_reservations(key);
}

void Cluster::admit_queued() {
  if (!tenants_)
    return;
  while (auto key = tenants_->select(now_)) {
    admit(*key);
    // Its turn is behind those of all others, who have been served.
    schedule_application(*key);
  }
}

// -- figures ------------------------------------------------------------------

void Cluster::update_tenant(AppKey key) {
  auto& app = apps_.at(key);
  auto size = app.executor_size();
  Resources running{app.cores_granted,
                    static_cast<std::int64_t>(app.executors.size())
                        * size.memory_mb};
  auto requested = request_of(app, size);
  // What runs is never more than what counts as requested.
  auto tell_running = [&] {
    if (running != app.running)
      tenants_->set_running(now_, key, running);
    app.running = running;
  };
  if (running.cores < app.running.cores)
    tell_running();
  if (requested != app.requested)
    touch(key);
  if (requested != app.requested)
    tenants_->set_request(now_, key, requested, {size.cores, size.memory_mb});
  app.requested = requested;
  tell_running();
}

void Cluster::on(const ReconfigureTenants& x) {
  if (!tenants_ || validate(x.tenants))
    return reply(false);
  config_.tenants = x.tenants;
  record(config_);
  tenants_->reconfigure(now_, x.tenants);
  census_ = FreeCensus{
      {x.tenants.min_executor_cores, x.tenants.min_executor_memory_mb}};
  for (const auto& [key, worker] : workers_)
    count_worker(key);
  resources_changed_ = true;
  reply(true);
}

} // namespace stoker
