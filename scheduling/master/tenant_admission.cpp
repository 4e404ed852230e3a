#include "scheduling/master/tenant_admission.hpp"

#include <string>
#include <variant>

#include "scheduling/master/allowance.hpp"
#include "scheduling/master/demand.hpp"
#include "scheduling/master/driver_admission.hpp"
#include "scheduling/master/executor_sizes.hpp"
#include "scheduling/master/reservations.hpp"

namespace stoker {

namespace {

/// Spark's spark.executor.memory.
constexpr std::int64_t default_memory_mb = 1024;

/// Returns what an application that was accepted asks for. Where it is admitted as a whole,
/// executors that have become larger since do not make this more than it may ever have.
Resources request_within(const ClusterState& state, const Application& app,
                         const ExecutorSize& size) {
  auto request = request_of(state, app, size);
  if (admits_in_part(state))
    return request;
  auto most = most_beside_driver(state, app.stored.description);
  auto fits = [&](const Resources& x) { return smaller(x, most) == x; };
  auto may_be_less = app.stored.executor_limit || fits(app.requested);
  return may_be_less && fits(least_of(app, size, request))
             ? smaller(request, most)
             : request;
}

/// Returns what the application cannot do without if its executors have this size.
Resources needed_of(const ClusterState& state, const Application& app,
                    const ExecutorSize& size) {
  return countable(least_of(app, size, request_of(state, app, size)));
}

} // namespace

TenantTree::Entry entry_of(const ClusterState& state, const Application& app,
                           const Resources& request) {
  const auto& x = app.stored;
  TenantTree::Entry result;
  result.user = x.description.user;
  result.request = request;
  result.priority = x.description.priority;
  result.sql = x.description.sql;
  result.elastic = x.executor_limit.has_value();
  result.submitted = x.submitted;
  if (admits_in_part(state))
    result.least = least_of(app, smallest_size_for(state, app), request);
  auto driver = driver_of(state, x.description);
  result.with_driver
      = driver && state.drivers.at(*driver).application == app.key();
  return result;
}

Status may_join_queue(const ClusterState& state, AppKey key) {
  const auto* tenants = state.admission.tenants();
  if (tenants == nullptr)
    return {};
  const auto& app = state.applications.at(key);
  const auto& user = app.stored.description.user;
  auto size = size_for(state, app);
  auto request = request_of(state, app, size);
  if (!tenants->config().admit_in_part)
    return tenants->may_join(user, request);
  auto at_once = gang_of(app);
  auto text
      = at_once > 1
            ? RefusalText{"the " + std::to_string(at_once)
                              + " executors that the application needs at "
                                "once need",
                          "for all of them"}
            : RefusalText{"an executor of the application needs",
                          "for an executor"};
  auto least = least_of(app, size, request);
  if (auto driver = driver_of(state, app.stored.description)) {
    least += own_of(state.drivers.at(*driver).stored.description);
    text.who = "the driver and " + text.who;
    text.advice += " beside its driver";
  }
  return tenants->may_join(user, least, text);
}

Status join_queue(Step& step, AppKey key) {
  auto* tenants = step.state.admission.tenants();
  auto allowed = may_join_queue(step.state, key);
  if (tenants == nullptr || !allowed)
    return allowed;
  auto& app = step.state.applications.edit(key);
  app.requested = request_of(step.state, app, size_for(step.state, app));
  join_driver(step, key);
  tenants->add(step.now(), key, entry_of(step.state, app, app.requested));
  // An elastic one requests at most what fits beside its driver.
  ask_again(step, key);
  return {};
}

bool requeue_if_short(Step& step, AppKey key) {
  auto* tenants = step.state.admission.tenants();
  auto& app = step.state.applications.edit(key);
  // An elastic one grows from nothing.
  if (tenants == nullptr || app.stored.executor_limit)
    return false;
  auto size = size_for(step.state, app);
  auto request = request_within(step.state, app, size);
  if (admits_in_part(step.state))
    size = smallest_size_for(step.state, app);
  auto least = countable(least_of(app, size, request));
  if (smaller(tenants->admitted_request(key), least) == least)
    return false;
  tenants->remove(step.now(), key);
  app.requested = request;
  step.changes.touch(key);
  tenants->add(step.now(), key, entry_of(step.state, app, request));
  return true;
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
    // If not even one of these fits now, smaller ones do.
    if (admits_in_part(step.state)
        && !tenants->could_count(key, needed_of(step.state, app, size)))
      size = smallest_size_for(step.state, app);
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

void count_first_executor(Step& step, AppKey key) {
  auto& state = step.state;
  const auto& app = state.applications.at(key);
  auto* tenants = state.admission.tenants();
  // An elastic one grows from nothing.
  if (!admits_in_part(state) || app.stored.executor_limit)
    return;
  auto needed = larger(needed_of(state, app, app.executor_size()),
                       tenants->admitted_request(key));
  if (needed != tenants->admitted_request(key)
      && tenants->could_count(key, needed))
    tenants->widen(step.now(), key, needed);
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

void ask_again(Step& step, AppKey key) {
  auto* tenants = step.state.admission.tenants();
  if (tenants == nullptr || !tenants->is_queued(key)
      || step.state.recovery.status() != RecoveryState::ALIVE)
    return;
  auto& app = step.state.applications.edit(key);
  auto size = size_for(step.state, app);
  auto request = request_within(step.state, app, size);
  auto in_part = admits_in_part(step.state);
  // An elastic one grows to more when it is admitted: as a whole, it might never be.
  if (app.stored.executor_limit && !in_part)
    request = smaller(request, app.requested);
  if (request != app.requested)
    step.changes.touch(key);
  app.requested = request;
  auto least = in_part ? std::optional{least_of(
                   app, smallest_size_for(step.state, app), request)}
                       : std::nullopt;
  tenants->set_request(step.now(), key, request, {size.cores, size.memory_mb});
  tenants->set_least(step.now(), key, least,
                     app.stored.executor_limit.has_value());
}

void follow_workers(Step& step) {
  auto& state = step.state;
  for (auto program : state.wanted_shapes.workers_changed(state.capacity))
    if (const auto* app = std::get_if<AppKey>(&program)) {
      size_again(step, *app);
      update_demand(step, *app);
    } else {
      update_demand(step, std::get<DriverKey>(program));
    }
}

namespace {

/// Applies new rules to what waits, and starts nothing more for users whom they do not know.
void follow_rules(Step& step) {
  const auto& state = step.state;
  // Executors may have another size, and applications may be admitted in part or as a whole.
  for (const auto& [key, app] : state.applications.all())
    ask_again(step, key);
  const auto waiting = state.drivers.waiting();
  for (auto key : waiting)
    requeue_if_short(step, key);
  for (const auto& position : state.admission.admitted())
    update_demand(step, position.app);
}

} // namespace

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
  follow_rules(step);
  step.schedule_pass();
  step.reply(true);
}

} // namespace stoker
