#include "scheduling/master/demand.hpp"

#include "scheduling/master/figures.hpp"

namespace stoker {

namespace {

/// Keeps the tenants' figures true.
void update_tenant(Step& step, TenantTree& tenants, Application& app) {
  auto size = app.executor_size();
  Resources running{app.executors.cores(),
                    std::int64_t{app.executors.count()} * size.memory_mb};
  auto requested = request_of(step.state, app, size);
  auto set_running = [&] {
    if (running != app.running)
      tenants.set_running(step.now(), app.key(), running);
    app.running = running;
  };
  // What runs is never more than what counts as requested.
  if (running.cores < app.running.cores)
    set_running();
  if (requested != app.requested) {
    step.changes.touch(app.key());
    tenants.set_request(step.now(), app.key(), requested,
                        {size.cores, size.memory_mb});
  }
  app.requested = requested;
  set_running();
}

} // namespace

void update_demand(Step& step, AppKey key) {
  auto& app = step.state.applications.edit(key);
  auto position = app.position();
  if (!position)
    return;
  auto* tenants = step.state.admission.tenants();
  if (tenants != nullptr)
    update_tenant(step, *tenants, app);
  auto size = app.executor_size();
  auto wants
      = cores_left(step.state, app) >= size.cores && executors_left(app) > 0;
  // One that fits on no worker at all does not keep others waiting.
  if (tenants != nullptr)
    tenants->set_waiting(key, wants && step.state.capacity.totals().fits(size));
  step.state.capacity.set_wanted(*position, app.named(),
                                 wants ? std::optional{size} : std::nullopt);
}

} // namespace stoker
