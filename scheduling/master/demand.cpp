#include "scheduling/master/demand.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "scheduling/master/allowance.hpp"
#include "scheduling/master/executor_sizes.hpp"
#include "scheduling/master/gangs.hpp"

namespace stoker {

namespace {

/// By how much its request grows next: by what is missing of its gang, if what counts
/// is too little for that, else by an executor.
Resources unit_of(const TenantTree& tenants, const Application& app,
                  const Resources& running) {
  auto size = app.executor_size();
  auto at_once = std::int64_t{executors_at_once(app)};
  auto missing = running
                 + Resources{at_once * size.cores, at_once * size.memory_mb}
                 - tenants.admitted_request(app.key());
  return {std::max<std::int64_t>(missing.cores, size.cores),
          std::max(missing.memory_mb, size.memory_mb)};
}

/// Keeps the tenants' figures true.
void update_tenant(Step& step, TenantTree& tenants, Application& app) {
  auto size = app.executor_size();
  Resources running{app.executors.cores(),
                    std::int64_t{app.executors.count()} * size.memory_mb};
  // Nothing counts that is not to be started.
  auto requested = tenants.is_served(app.stored.description.user)
                       ? request_of(step.state, app, size)
                       : running;
  auto set_running = [&] {
    if (running != app.running)
      tenants.set_running(step.now(), app.key(), running);
    app.running = running;
  };
  // What runs is never more than what counts as requested.
  if (running.cores < app.running.cores) {
    auto ended = app.running - running;
    set_running();
    // An application that says how many executors it wants waits for its turn to
    // replace one; so does one that may not have all, if another user waits for that.
    if (app.stored.executor_limit || tenants.has_to_yield(app.key(), ended)) {
      app.requested = tenants.admitted_request(app.key()) - ended;
      tenants.set_request(step.now(), app.key(), app.requested,
                          {size.cores, size.memory_mb});
      step.changes.touch(app.key());
    }
  }
  auto unit = unit_of(tenants, app, running);
  if (requested != app.requested)
    step.changes.touch(app.key());
  if (requested != app.requested || unit != app.unit)
    tenants.set_request(step.now(), app.key(), requested, unit);
  app.requested = requested;
  app.unit = unit;
  set_running();
}

/// Returns whether a worker could hold the executor that it wants, if any.
bool note_shape(Step& step, const Application& app, bool wants) {
  auto& shapes = step.state.wanted_shapes;
  if (wants)
    return shapes.set(app.key(), {app.executor_size(), app.needs},
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
  if (tenants != nullptr) {
    auto could = note_shape(step, app, wants);
    tenants->set_waiting(key, !could                        ? Waits::no
                              : executors_at_once(app) == 1 ? Waits::for_room
                                                            : Waits::at_once);
  }
  auto at_once = executors_at_once(app);
  step.state.capacity.set_wanted(
      *position, app.needs,
      wants ? std::optional{app.executor_size()} : std::nullopt, at_once);
  // An instance has come back, or need not be waited for: what is there may do now.
  if (at_once < std::exchange(app.at_once, at_once) && wants)
    step.schedule_pass();
  follow_gang(step, app, wants);
}

} // namespace stoker
