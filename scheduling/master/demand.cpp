#include "scheduling/master/demand.hpp"

#include "scheduling/master/allowance.hpp"
#include "scheduling/master/executor_sizes.hpp"

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
  if (running.cores < app.running.cores) {
    auto ended = app.running - running;
    set_running();
    // Whoever says how many executors it wants waits for its turn to replace one.
    if (app.stored.executor_limit) {
      app.requested = tenants.admitted_request(app.key()) - ended;
      tenants.set_request(step.now(), app.key(), app.requested,
                          {size.cores, size.memory_mb});
      step.changes.touch(app.key());
    }
  }
  if (requested != app.requested) {
    step.changes.touch(app.key());
    tenants.set_request(step.now(), app.key(), requested,
                        {size.cores, size.memory_mb});
  }
  app.requested = requested;
  set_running();
}

/// Returns whether a worker could hold the executor that it wants, if any.
bool note_shape(Step& step, const Application& app, bool wants) {
  auto& shapes = step.state.wanted_shapes;
  if (wants)
    return shapes.set(app.key(), {app.executor_size(), app.named()},
                      step.state.capacity);
  shapes.erase(app.key());
  return false;
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
  auto wants = wants_executor(step.state, app);
  // One that no worker could ever hold does not keep others waiting.
  if (tenants != nullptr)
    tenants->set_waiting(key, note_shape(step, app, wants));
  step.state.capacity.set_wanted(*position, app.named(),
                                 wants ? std::optional{app.executor_size()}
                                       : std::nullopt);
}

} // namespace stoker
