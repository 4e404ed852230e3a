#include "scheduling/master/applications.hpp"

#include <cassert>
#include <cstdint>
#include <utility>

#include "messages/printable.hpp"
#include "scheduling/common/format.hpp"
#include "scheduling/common/limits.hpp"
#include "scheduling/master/allowance.hpp"
#include "scheduling/master/demand.hpp"
#include "scheduling/master/dependencies.hpp"
#include "scheduling/master/driver_admission.hpp"
#include "scheduling/master/end_hooks.hpp"
#include "scheduling/master/executor_sizes.hpp"
#include "scheduling/master/executors.hpp"
#include "scheduling/master/gangs.hpp"
#include "scheduling/master/outages.hpp"
#include "scheduling/master/program_ends.hpp"
#include "scheduling/master/programs.hpp"
#include "scheduling/master/reservations.hpp"
#include "scheduling/master/size_limits.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/master/tenant_admission.hpp"

namespace stoker {

namespace {

/// Whether its fields are possible; if not, the first that is wrong.
Status validate_application(const ApplicationDescription& x) {
  if (auto valid = validate(x.command, "application"); !valid)
    return valid;
  if (x.spark_driver)
    if (auto valid = validate(*x.spark_driver); !valid)
      return valid;
  if (x.cores_per_executor && *x.cores_per_executor <= 0)
    return invalid("cores per executor must be greater than 0");
  if (x.memory_per_executor_mb && *x.memory_per_executor_mb <= 0)
    return invalid("memory per executor must be greater than 0");
  if (x.memory_per_task_mb && *x.memory_per_task_mb <= 0)
    return invalid("memory per task must be greater than 0");
  if (x.max_cores && *x.max_cores <= 0)
    return invalid("the maximum of cores must be greater than 0");
  if (x.initial_executor_limit && *x.initial_executor_limit < 0)
    return invalid("the number of executors must not be negative");
  if (x.instances && x.instances->count <= 0)
    return invalid("the number of instances must be greater than 0");
  if (x.instances && x.instances->max_failures < 0)
    return invalid("the number of failures must not be negative");
  if (x.instances && !x.instances->arguments.empty()
      && std::ssize(x.instances->arguments) != x.instances->count)
    return invalid("there must be an argument for each instance, or none");
  if (x.instances)
    if (auto valid = validate_arguments(x.instances->arguments); !valid)
      return valid;
  if (x.time_limit_ms && *x.time_limit_ms <= 0)
    return invalid("the time limit must be greater than 0");
  if (x.time_limit_ms && *x.time_limit_ms > time_limit_ms_max)
    return invalid("the time limit must be at most 100 years");
  if (x.gang && *x.gang < 1)
    return invalid("a gang has at least 1 executor");
  if (x.gang && x.instances && *x.gang > x.instances->count)
    return invalid("a gang of " + std::to_string(*x.gang) + " is more than the "
                   + format_count(x.instances->count, "instance"));
  if (auto valid = validate(x.resources_per_executor); !valid)
    return valid;
  for (const auto& [host, wanted] : x.preferred_hosts)
    if (wanted < 0)
      return invalid("the number of executors on a host must not be negative");
  if (x.memory_per_executor_mb.value_or(0) > memory_mb_max
      || x.memory_per_task_mb.value_or(0) > memory_mb_max
      || x.cores_per_executor.value_or(1) > cores_max)
    return invalid("no worker has so many cores or so much memory");
  if (x.instances && x.instances->count > instances_max)
    return invalid("there can be at most " + std::to_string(instances_max)
                   + " instances");
  if (x.on_end)
    return validate(*x.on_end);
  return {};
}

/// Whether a gang is within what it may have; if not, why.
Status may_have_gang(const ClusterState& state, const ApplicationDescription& x,
                     int gang, std::optional<int> limit) {
  if (limit && gang > *limit)
    return invalid("a gang of " + std::to_string(gang) + " is more than the "
                   + format_count(*limit, "executor") + " that are asked for");
  auto cores = std::int64_t{gang} * x.cores_per_executor.value_or(1);
  auto most = cores_max_of(state, x);
  if (cores > most)
    return invalid("a gang of " + std::to_string(gang) + " needs "
                   + format_cores(cores) + ", and may have "
                   + std::to_string(most));
  return {};
}

/// Whether it may register; if not, why.
Status may_register(const ClusterState& state,
                    const ApplicationDescription& x) {
  auto valid = validate_application(x);
  // One that begins with none asks for its gang with the first.
  if (valid && x.gang && x.initial_executor_limit != 0)
    valid = may_have_gang(state, x, *x.gang, x.initial_executor_limit);
  if (!valid || !x.reject_if_it_cannot_fit)
    return valid;
  ExecutorShape shape{
      {x.cores_per_executor.value_or(1), x.memory_per_executor_mb.value_or(1)},
      requirements_of(x),
      !x.cores_per_executor && state.admission.tenants() == nullptr};
  auto fits = could_ever_fit(state, shape.size, shape.needs, "executor");
  return fits && x.gang ? gang_could_ever_fit(state, shape, *x.gang) : fits;
}

/// Takes it out of all tables.
void forget_application(Step& step, AppKey key) {
  auto& state = step.state;
  const auto& app = state.applications.at(key);
  state.recovery.answered(key);
  forget_gang(step, app);
  if (auto position = app.position()) {
    state.capacity.set_wanted(*position, app.needs, std::nullopt);
    state.admission.remove(*position);
  }
  state.wanted_shapes.erase(key);
  state.dependents.remove(key, app.stored.waits_for);
  leave_driver(step, key);
  if (auto* tenants = state.admission.tenants())
    tenants->remove(step.now(), key);
  state.applications.remove(key);
}

/// What it wants is started again.
void driver_is_back(Step& step, Application& app) {
  app.patience = {};
  if (!std::exchange(app.reconnect_due, std::nullopt))
    return;
  update_demand(step, app.key());
  claim_reservations(step, app.key());
  step.schedule_pass();
}

/// The driver has come back, or repeats itself.
void reregister_application(Step& step, Application& app,
                            const std::string& identity) {
  // What was nobody's is his who proves something first.
  if (app.stored.identity.empty() && !identity.empty()) {
    app.stored.identity = identity;
    step.changes.touch(app.key());
  }
  const auto& driver = app.stored.driver;
  const auto& master_url = step.config().master_url;
  driver_is_back(step, app);
  if (step.state.recovery.awaits(app.key()))
    step.send(driver, MasterChanged{master_url});
  step.state.recovery.answered(app.key());
  step.send(driver, RegisteredApplication{app.stored.id, master_url});
  resend_executors(step, app);
}

/// An application that has joined is admitted without tenants, or with what is kept for
/// it.
void begin_serving(Step& step, AppKey key) {
  if (step.state.admission.tenants() == nullptr)
    admit(step, key);
  else
    claim_reservations(step, key);
  step.schedule_pass();
}

void add_application(Step& step, const RegisterApplication& x,
                     std::vector<Dependency> waits_for) {
  auto& state = step.state;
  StoredApplication stored;
  stored.id = AppId{
      state.ids.make("app", step.now(), state.applications.count_ever() + 1)};
  stored.driver = x.driver;
  stored.description = x.description;
  stored.identity = x.identity;
  stored.submitted = step.now();
  stored.executor_limit = x.description.initial_executor_limit;
  stored.gang = x.description.gang;
  stored.waits_for = std::move(waits_for);
  auto& app = state.applications.add(std::move(stored));
  auto key = app.key();
  step.changes.touch_counters();
  step.changes.touch(key);
  if (x.description.instances)
    app.instances.emplace(x.description.instances->count);
  app.executors.prefer(x.description.preferred_hosts);
  auto depends = !app.stored.waits_for.empty();
  if (depends) {
    state.dependents.add(key, app.stored.waits_for);
    if (state.admission.tenants() == nullptr)
      size_as_asked(app.stored);
  }
  auto queued = depends ? may_join_queue(state, key) : join_queue(step, key);
  if (!queued) {
    forget_application(step, key);
    return step.send(x.driver, ApplicationRemoved{queued.error().message});
  }
  step.send(x.driver,
            RegisteredApplication{app.stored.id, step.config().master_url});
  if (!depends)
    begin_serving(step, key);
}

/// Whether a driver means its last application, which has ended. If it knows no
/// id, it never heard that it was registered, or this was sent before it heard
/// that: another application would repeat the work.
bool is_meant(const RegisterApplication& x, const ApplicationInfo& ended) {
  return !x.app_id || *x.app_id == ended.id;
}

/// Returns the application of a driver of Spark's that registers again over another connection.
/// It names several masters and registers at each: a standby that leads now has the
/// application from the last leader.
const Application* find_other_registration(const ClusterState& state,
                                           const RegisterApplication& x) {
  auto key = state.applications.find_by_spark_driver(x.description);
  return key ? &state.applications.at(*key) : nullptr;
}

/// "app-1 has ended as FAILED: its driver's connection broke".
std::string outcome_of(const ApplicationInfo& x) {
  auto result = to_string(x.id) + " has ended as " + to_string(x.state);
  return x.message ? result + ": " + *x.message : result;
}

/// The last of its executors, no more than are kept for viewing.
std::vector<StoredExecutor> last_executors(Step& step, Application& app) {
  std::vector<StoredExecutor> result;
  auto left = app.ended_executors.size() - step.config().retained_executors;
  app.ended_executors.for_each([&](const StoredExecutor& x) {
    if (left-- <= 0)
      result.push_back(x);
    else if (ExecutorId id{x.app_id, x.exec_id};
             !step.state.releases.contains(id))
      step.changes.record(EraseExecutor{id});
  });
  return result;
}

/// But for those that still have to end.
void erase_executors(Step& step, const AppId& id) {
  step.changes.record(EraseExecutorsOf{id});
  for (const auto* release : step.state.releases.of(id))
    step.changes.record(release->stored);
}

} // namespace

// -- events -------------------------------------------------------------------

void handle(Step& step, const RegisterApplication& x) {
  auto& state = step.state;
  if (state.recovery.status() == RecoveryState::STANDBY)
    return step.send(x.driver, MasterInStandby{});
  if (auto key = state.applications.find_by_driver(x.driver))
    return reregister_application(step, state.applications.edit(*key),
                                  x.identity);
  if (const auto* ended = state.applications.find_ended_by_driver(x.driver);
      ended != nullptr && is_meant(x, ended->info)) {
    // It may have ended while its driver was away: how its executors ended, and what
    // they wrote, is news to the driver.
    if (x.app_id)
      resend_executors(step, *ended);
    return step.send(x.driver, ApplicationRemoved{outcome_of(ended->info)});
  }
  if (x.app_id)
    return step.send(x.driver,
                     ApplicationRemoved{to_string(*x.app_id)
                                        + " is not known here (any more)"});
  if (const auto* other = find_other_registration(state, x)) {
    // It is being called back.
    if (state.recovery.awaits(other->key()))
      return step.send(x.driver, MasterInStandby{});
    // Spark's master does not answer either (Master.registerApplication). If the connection
    // broke, another process may have the address.
    if (!other->reconnect_due)
      return;
  }
  if (auto small = check_sizes(x); !small)
    return step.send(x.driver, ApplicationRemoved{small.error().message});
  if (auto allowed = may_register(state, x.description); !allowed)
    return step.send(x.driver, ApplicationRemoved{allowed.error().message});
  auto open = open_dependencies(state, x.description.after);
  if (!open)
    return step.send(x.driver, ApplicationRemoved{open.error().message});
  add_application(step, x, std::move(*open));
}

void handle(Step& step, const ApplicationHeartbeat& x) {
  if (step.state.recovery.status() == RecoveryState::STANDBY)
    return step.send(x.driver, MasterInStandby{});
  auto key = step.state.applications.find_by_driver(x.driver);
  // What it was told while it was away may be lost: it is told again when it
  // registers.
  if (!key || step.state.applications.at(*key).reconnect_due)
    return step.send(x.driver, ReconnectApplication{step.config().master_url});
  step.state.applications.edit(*key).ended_executors.heard(x.heard);
  forget_ended(step, *key);
  auto& due = step.state.applications.edit(*key).heartbeat_due;
  auto is_first = !due;
  due = step.now() + step.config().application_timeout;
  if (is_first)
    step.check_at(*due, Due::application, number_of(*key));
}

void handle(Step& step, const UnregisterApplication& x) {
  if (auto key = step.state.applications.find(x.app_id)) {
    if (x.interrupted)
      remove_application(step, *key, ApplicationState::KILLED,
                         "interrupted by its user");
    else if (x.failure)
      remove_application(
          step, *key, ApplicationState::FAILED,
          shortened(as_utf8(*x.failure), failure_characters_max));
    else
      remove_application(step, *key, ApplicationState::FINISHED, {});
  }
  step.reply(true);
}

void handle(Step& step, const RequestKillApplication& x) {
  auto key = step.state.applications.find(x.app_id);
  if (!key)
    return step.reply(KillApplicationResponse{
        x.app_id, false, to_string(x.app_id) + " is not running here"});
  remove_application(step, *key, ApplicationState::KILLED, "killed on request");
  step.reply(KillApplicationResponse{x.app_id, true, {}});
}

void handle(Step& step, const MasterChangeAcknowledged& x) {
  if (auto key = step.state.applications.find(x.app_id)) {
    driver_is_back(step, step.state.applications.edit(*key));
    step.state.recovery.answered(*key);
  }
}

void handle(Step& step, const RequestExecutors& x) {
  auto key = step.state.applications.find(x.app_id);
  if (!key || x.requested_total < 0
      || (x.preferred_hosts && !check_sizes(*x.preferred_hosts)))
    return step.reply(false);
  auto& app = step.state.applications.edit(*key);
  if (x.gang
      && (*x.gang < 1
          || !may_have_gang(step.state, app.stored.description, *x.gang,
                            x.requested_total)))
    return step.reply(false);
  app.stored.executor_limit = x.requested_total;
  if (x.gang)
    app.stored.gang = x.gang;
  if (x.preferred_hosts)
    app.executors.prefer(*x.preferred_hosts);
  step.changes.touch(*key);
  ask_again(step, *key);
  update_demand(step, *key);
  step.schedule_pass();
  step.reply(true);
}

void handle(Step& step, const KillExecutors& x) {
  auto key = step.state.applications.find(x.app_id);
  if (!key)
    return step.reply(false);
  const auto& app = step.state.applications.at(*key);
  for (auto exec_id : x.executor_ids)
    if (app.executors.find(exec_id) != nullptr) {
      // The driver need not be the one who asks.
      step.send(app.stored.driver,
                ExecutorUpdated{exec_id, ExecutorState::KILLED,
                                "killed on request", std::nullopt, std::nullopt,
                                app.ended_executors.next()});
      kill_executor(step, {*key, exec_id}, "killed on request");
    }
  step.schedule_pass();
  step.reply(true);
}

// -- what others need ---------------------------------------------------------

void begin_application(Step& step, AppKey key) {
  if (auto queued = join_queue(step, key); !queued)
    return remove_application(step, key, ApplicationState::FAILED,
                              queued.error().message);
  begin_serving(step, key);
}

void remove_application(Step& step, AppKey key, ApplicationState final_state,
                        const std::string& message) {
  assert(is_finished(final_state));
  auto& state = step.state;
  auto& app = state.applications.edit(key);
  while (!app.executors.present().empty())
    kill_executor(step, {key, app.executors.present().begin()->first},
                  "application ended");
  state.dependents.remove(key, app.stored.waits_for);
  app.stored.waits_for.clear();
  app.stored.state = final_state;
  app.stored.ended = step.now();
  app.stored.message = message;
  if (final_state != ApplicationState::FINISHED)
    step.send(app.stored.driver, ApplicationRemoved{message});
  for (auto worker : app.executors.workers())
    if (state.workers.contains(worker))
      step.send(state.workers.at(worker).stored.endpoint,
                ApplicationFinished{app.stored.id});
  EndedApplication ended{info_of(app), app.stored.driver,
                         last_executors(step, app)};
  auto id = app.stored.id;
  auto end = end_of(ended);
  auto is_over = !state.releases.has_any_of(id);
  start_end_hook(step, app.stored, end,
                 is_over ? std::nullopt : std::optional{id});
  // Nothing of it is started any more, and secrets need not be kept.
  forget_secrets(app.stored.description);
  step.changes.record(record_of(app, state.admission));
  if (app.instances)
    step.changes.record(EraseInstancesOf{app.stored.id});
  keep_ended(step, std::move(ended));
  forget_application(step, key);
  // Else with the last that still has to end.
  if (is_over)
    step.note_end(id, std::move(end));
  step.schedule_pass();
}

void keep_ended(Step& step, EndedApplication ended) {
  const auto& config = step.config();
  auto forgotten = step.state.applications.keep_ended(
      std::move(ended),
      {config.retained_applications, config.retained_executors_of_ended});
  if (const auto& x = forgotten.application) {
    step.changes.record(EraseApplication{x->info.id});
    erase_executors(step, x->info.id);
    // Nobody will know how it ended.
    if (step.state.releases.has_any_of(x->info.id))
      step.note_end(x->info.id, end_of(*x));
  }
  for (const auto& id : forgotten.executors_of)
    erase_executors(step, id);
}

void disconnect(Step& step, AppKey key) {
  auto& app = step.state.applications.edit(key);
  app.heartbeat_due.reset();
  app.patience = {};
  app.reconnect_due = step.now() + step.config().reconnect_timeout;
  update_demand(step, key);
  // It keeps nobody waiting.
  step.schedule_pass();
  check_application(step, key);
}

void postpone_applications(Step& step, Duration by) {
  for (const auto& [key, x] : step.state.applications.all()) {
    auto& app = step.state.applications.edit(key);
    if (app.reconnect_due)
      *app.reconnect_due += by;
    if (app.heartbeat_due)
      *app.heartbeat_due += by;
  }
}

void check_application(Step& step, AppKey key) {
  if (!step.state.applications.contains(key))
    return;
  const auto& app = step.state.applications.at(key);
  auto look_again = [&](Instant when) {
    step.check_at(when, Due::application, number_of(key));
  };
  if (app.reconnect_due) {
    if (*app.reconnect_due <= step.now()
        && (!wait_out_outage(step, key) || *app.reconnect_due <= step.now()))
      return remove_application(
          step, key, ApplicationState::KILLED,
          "its driver's connection broke and the driver did not come back");
    look_again(*app.reconnect_due);
  }
  if (app.heartbeat_due) {
    // Its connection is dead, and nobody has seen it end.
    if (*app.heartbeat_due <= step.now())
      return disconnect(step, key);
    look_again(*app.heartbeat_due);
  }
  if (app.stored.started && app.stored.description.time_limit_ms) {
    auto end
        = *app.stored.started + Duration{*app.stored.description.time_limit_ms};
    if (end <= step.now())
      return remove_application(step, key, ApplicationState::FAILED,
                                "it ran for longer than its time limit");
    look_again(end);
  }
}

} // namespace stoker
