#include "scheduling/master/tenant_admission.hpp"

#include "scheduling/master/demand.hpp"
#include "scheduling/master/executor_sizes.hpp"
#include "scheduling/master/reservations.hpp"

namespace stoker {

namespace {

/// Spark's spark.executor.memory.
constexpr std::int64_t default_memory_mb = 1024;

} // namespace

Status may_join_queue(const ClusterState& state, AppKey key) {
  const auto* tenants = state.admission.tenants();
  if (tenants == nullptr)
    return {};
  const auto& app = state.applications.at(key);
  return tenants->may_join(app.stored.description.user,
                           request_of(state, app, size_for(state, app)));
}

Status join_queue(Step& step, AppKey key) {
  auto* tenants = step.state.admission.tenants();
  auto allowed = may_join_queue(step.state, key);
  if (tenants == nullptr || !allowed)
    return allowed;
  auto& app = step.state.applications.edit(key);
  const auto& description = app.stored.description;
  app.requested = request_of(step.state, app, size_for(step.state, app));
  tenants->add(step.now(), key,
               {description.user, app.requested, description.priority,
                description.sql, app.stored.executor_limit.has_value()});
  return {};
}

void size_as_asked(StoredApplication& x) {
  x.cores_per_executor = x.description.cores_per_executor;
  x.memory_per_executor_mb
      = x.description.memory_per_executor_mb.value_or(default_memory_mb);
}

void admit(Step& step, AppKey key) {
  auto& app = step.state.applications.edit(key);
  auto& stored = app.stored;
  stored.turn = step.state.admission.admit(key).position;
  step.changes.touch(key);
  if (auto* tenants = step.state.admission.tenants()) {
    // As the cluster is now, not as it was when the application came.
    auto size = size_for(step.state, app);
    stored.cores_per_executor = size.cores;
    stored.memory_per_executor_mb = size.memory_mb;
    // If it begins with nothing, it grows by executors of this size.
    app.requested = request_of(step.state, app, size);
    tenants->set_request(step.now(), key, app.requested,
                         {size.cores, size.memory_mb});
  } else {
    size_as_asked(stored);
  }
  update_demand(step, key);
  claim_reservations(step, key);
}

void size_again(Step& step, AppKey key) {
  auto* tenants = step.state.admission.tenants();
  if (tenants == nullptr)
    return;
  const auto& capacity = step.state.capacity;
  auto& app = step.state.applications.edit(key);
  const auto& description = app.stored.description;
  auto is_sized
      = !description.cores_per_executor || !description.memory_per_executor_mb;
  if (!is_sized || app.executors.count() > 0
      || capacity.could_hold(app.executor_size(), app.needs))
    return;
  auto size = size_for(step.state, app);
  if (!capacity.could_hold(size, app.needs))
    return;
  app.stored.cores_per_executor = size.cores;
  app.stored.memory_per_executor_mb = size.memory_mb;
  app.requested = request_of(step.state, app, size);
  step.changes.touch(key);
  tenants->set_request(step.now(), key, app.requested,
                       {size.cores, size.memory_mb});
}

void follow_workers(Step& step) {
  auto& state = step.state;
  for (auto key : state.wanted_shapes.workers_changed(state.capacity)) {
    size_again(step, key);
    update_demand(step, key);
  }
}

void handle(Step& step, const ReconfigureTenants& x) {
  auto& state = step.state;
  auto* tenants = state.admission.tenants();
  if (tenants == nullptr || !validate(x.tenants))
    return step.reply(false);
  state.config.tenants = x.tenants;
  step.changes.record(state.config);
  tenants->reconfigure(step.now(), x.tenants);
  state.capacity.keep_census(
      {x.tenants.min_executor_cores, x.tenants.min_executor_memory_mb});
  step.schedule_pass();
  step.reply(true);
}

} // namespace stoker
