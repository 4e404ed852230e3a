#include "scheduling/master/driver_admission.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "scheduling/common/java_options.hpp"
#include "scheduling/common/units.hpp"
#include "scheduling/master/drivers.hpp"
#include "scheduling/master/programs.hpp"
#include "scheduling/master/tenant_admission.hpp"

namespace stoker {

namespace {

/// What is kept for the driver's application.
Resources kept_for(const ClusterState& state, DriverKey key) {
  const auto* kept = state.reservations.find(key);
  if (kept == nullptr)
    return {};
  auto count = std::int64_t{kept->count()};
  const auto& size = kept->shape.size;
  return {count * size.cores, count * size.memory_mb};
}

/// Returns the smallest executor that the settings of a program of Spark's allow. If the cores
/// are not set, an executor takes all cores of its worker, so it needs 1.
Resources smallest_executor_of(const SparkProgram& x) {
  constexpr std::int64_t default_memory_mb = 1024;
  auto setting = [&](std::string_view name) {
    return trim(property_of(x.java_options, name).value_or(""));
  };
  return {std::max(parse_count(setting("spark.executor.cores")).value_or(1), 1),
          parse_spark_memory_mb(setting("spark.executor.memory"))
              .value_or(default_memory_mb)};
}

/// Returns the executor for which the driver leaves room; 0 if the driver says its executors.
Resources room_of(const DriverDescription& x) {
  constexpr Resources instance_of_run{1, 512};
  if (x.executors)
    return {};
  return countable(x.command.spark ? smallest_executor_of(*x.command.spark)
                                   : instance_of_run);
}

/// Returns whether the rules know the driver's user, and all that it needs to start counts.
/// @pre it is admitted
bool counts_whole(const TenantTree& tenants, DriverKey key,
                  const DriverDescription& x) {
  return tenants.is_served(x.user)
         && tenants.admitted_request(key) == countable(whole_of(x));
}

} // namespace

bool needs_executors(const DriverDescription& x) {
  return x.executors && x.executors->count > 0;
}

Resources own_of(const DriverDescription& x) {
  return {x.cores, x.memory_mb};
}

Resources whole_of(const DriverDescription& driver) {
  auto result = own_of(driver);
  if (const auto& x = driver.executors)
    result += {std::int64_t{x->count} * x->cores, x->count * x->memory_mb};
  return result;
}

Status may_join_queue(const ClusterState& state,
                      const DriverDescription& driver) {
  const auto* tenants = state.admission.tenants();
  if (tenants == nullptr)
    return {};
  // An executor of Spark's that cannot be beside its driver would be waited for without end.
  if (driver.command.spark && !driver.executors)
    return tenants->may_join(
        driver.user, countable(own_of(driver)) + room_of(driver),
        {"the driver with an executor needs",
         "for both (--driver-cores, --driver-memory, --executor-cores, "
         "--executor-memory)"});
  auto text = needs_executors(driver)
                  ? RefusalText{"the driver with its executors needs",
                                "for the driver and its executors"}
                  : RefusalText{"the driver needs", "for the driver"};
  return tenants->may_join(driver.user, whole_of(driver), text);
}

void join_queue(Step& step, DriverKey key) {
  auto& state = step.state;
  auto* tenants = state.admission.tenants();
  if (tenants == nullptr)
    return state.drivers.admit(key, std::nullopt);
  const auto& stored = state.drivers.at(key).stored;
  if (auto allowed = may_join_queue(state, stored.description); !allowed)
    return fail_driver(step, key, allowed.error().message);
  tenants->add(step.now(), key, entry_of(stored));
}

TenantTree::Entry entry_of(const StoredDriver& x) {
  TenantTree::Entry result;
  result.user = x.description.user;
  result.request = whole_of(x.description);
  result.submitted = x.submitted;
  const auto& executors = x.description.executors;
  result.room = room_of(x.description);
  if (!executors || executors->count > 0)
    result.driver = own_of(x.description);
  return result;
}

void adopt(Step& step, DriverKey key) {
  const auto& state = step.state;
  const auto& driver = state.drivers.at(key);
  auto entry = entry_of(driver.stored);
  // Earlier versions, and leaders without tenants, have not stored what counts.
  if (driver.stored.requested != Resources{})
    entry.request = driver.stored.requested;
  else if (driver.worker)
    entry.request = own_of(driver.stored.description) + kept_for(state, key);
  step.state.admission.tenants()->adopt(step.now(), key, entry);
}

void admit(Step& step, DriverKey key) {
  auto& state = step.state;
  state.drivers.admit(key, state.admission.admit_driver());
  step.changes.touch(key);
  update_demand(step, key);
}

void hand_over(Step& step, DriverKey from, DriverKey to) {
  auto& state = step.state;
  auto* tenants = state.admission.tenants();
  const auto& stored = state.drivers.at(from).stored;
  // A driver that waits for others is not queued yet.
  if (!state.drivers.at(to).stored.waits_for.empty())
    return;
  if (tenants == nullptr)
    return join_queue(step, to);
  // A part of the place may have gone to the application. The successor needs all of it.
  if (!tenants->is_admitted(from)
      || !counts_whole(*tenants, from, stored.description))
    return tenants->add(step.now(), to, entry_of(state.drivers.at(to).stored));
  tenants->hand_over(step.now(), from, to);
  state.drivers.admit(to, stored.turn);
  update_demand(step, to);
}

void update_demand(Step& step, DriverKey key) {
  auto& state = step.state;
  auto* tenants = state.admission.tenants();
  if (tenants == nullptr || !tenants->is_admitted(key))
    return;
  const auto& driver = state.drivers.at(key);
  const auto& description = driver.stored.description;
  auto counted = tenants->admitted_request(key);
  auto wanted = driver.worker ? own_of(description) + kept_for(state, key)
                              : whole_of(description);
  // What runs is never more than what counts.
  tenants->set_running(step.now(), key,
                       driver.worker ? smaller(wanted, counted) : Resources{});
  tenants->set_request(step.now(), key, wanted, wanted);
  if (driver.worker)
    state.wanted_shapes.erase(key);
  else
    state.wanted_shapes.set(key,
                            {{description.cores, description.memory_mb},
                             requirements_of(description),
                             false},
                            state.capacity);
  // Without a worker it never fills the cluster: a driver that runs may need what is left
  // for its application, and each pass places drivers first.
  tenants->set_waiting(key, driver.worker ? Waits::no : Waits::at_once);
  if (tenants->admitted_request(key) != counted)
    step.changes.touch(key);
}

bool may_run_another_driver(const ClusterState& state) {
  const auto& max = state.config.max_drivers;
  return !max || state.drivers.running() < *max;
}

void requeue_if_short(Step& step, DriverKey key) {
  auto& state = step.state;
  auto* tenants = state.admission.tenants();
  const auto& driver = state.drivers.at(key);
  if (tenants == nullptr || driver.worker || !tenants->is_admitted(key)
      || counts_whole(*tenants, key, driver.stored.description))
    return;
  tenants->remove(step.now(), key);
  state.wanted_shapes.erase(key);
  state.drivers.dismiss(key);
  step.changes.touch(key);
  tenants->add(step.now(), key, entry_of(driver.stored));
}

std::optional<DriverKey> driver_of(const ClusterState& state,
                                   const ApplicationDescription& app) {
  auto key = app.driver_id ? state.drivers.find(*app.driver_id) : std::nullopt;
  if (!key)
    return std::nullopt;
  const auto& driver = state.drivers.at(*key);
  auto is_same_user = driver.stored.description.user == app.user;
  return driver.worker && is_same_user ? key : std::nullopt;
}

void join_driver(Step& step, AppKey key) {
  auto& state = step.state;
  auto driver = driver_of(state, state.applications.at(key).stored.description);
  if (!driver)
    return;
  auto& present = state.drivers.edit(*driver).application;
  if (!present || !state.applications.contains(*present))
    present = key;
}

void leave_driver(Step& step, AppKey key) {
  auto& state = step.state;
  auto* tenants = state.admission.tenants();
  auto driver = driver_of(state, state.applications.at(key).stored.description);
  if (tenants == nullptr || !driver)
    return;
  auto& present = state.drivers.edit(*driver).application;
  if (present != key)
    return;
  present.reset();
  const auto& id = state.drivers.at(*driver).stored.id;
  for (auto next : state.applications.of_driver(id)) {
    const auto& app = state.applications.at(next);
    if (next == key || !tenants->is_queued(next)
        || driver_of(state, app.stored.description) != driver)
      continue;
    present = next;
    tenants->remove(step.now(), next);
    tenants->add(step.now(), next, entry_of(state, app, app.requested));
    // What it may have beside the driver changes with the rules, as its request does.
    return ask_again(step, next);
  }
}

std::vector<AppId> applications_of(const ClusterState& state,
                                   const DriverId& driver) {
  std::vector<AppId> result;
  auto key = state.drivers.find(driver);
  for (auto number : state.applications.of_driver(driver)) {
    const auto& app = state.applications.at(number);
    if (key && driver_of(state, app.stored.description) == key)
      result.push_back(app.stored.id);
  }
  return result;
}

void admit_with_driver(Step& step, AppKey app, DriverKey driver) {
  auto& state = step.state;
  auto* tenants = state.admission.tenants();
  const auto& x = state.drivers.at(driver).stored.description;
  tenants->set_running(step.now(), driver, own_of(x));
  tenants->admit_from(
      step.now(), driver, app,
      smaller(state.applications.at(app).requested, kept_for(state, driver)));
  step.changes.touch(driver);
  admit(step, app);
}

} // namespace stoker
