// Applications: registration, what they ask for, how they end.

#include <algorithm>
#include <cassert>
#include <limits>

#include "scheduling/common/limits.hpp"
#include "scheduling/master/cluster.hpp"

namespace stoker {

namespace {

/// Of executors, where there is no limit.
constexpr int no_limit = std::numeric_limits<int>::max();

/// One line about the first field that cannot be, if any.
std::optional<std::string> problem_with(const ApplicationDescription& x) {
  if (x.command.arguments.empty() || x.command.arguments.front().empty())
    return "the application has no command";
  if (x.cores_per_executor && *x.cores_per_executor <= 0)
    return "cores per executor must be greater than 0";
  if (x.memory_per_executor_mb && *x.memory_per_executor_mb <= 0)
    return "memory per executor must be greater than 0";
  if (x.memory_per_task_mb && *x.memory_per_task_mb <= 0)
    return "memory per task must be greater than 0";
  if (x.max_cores && *x.max_cores <= 0)
    return "the maximum of cores must be greater than 0";
  if (x.initial_executor_limit && *x.initial_executor_limit < 0)
    return "the number of executors must not be negative";
  if (x.instances && x.instances->count <= 0)
    return "the number of instances must be greater than 0";
  if (x.instances && x.instances->max_failures < 0)
    return "the number of failures must not be negative";
  if (x.time_limit_ms && *x.time_limit_ms <= 0)
    return "the time limit must be greater than 0";
  if (auto problem = problem_with_resources(x.resources_per_executor))
    return problem;
  for (const auto& [host, wanted] : x.preferred_hosts)
    if (wanted < 0)
      return "the number of executors on a host must not be negative";
  if (x.memory_per_executor_mb.value_or(0) > memory_mb_max
      || x.memory_per_task_mb.value_or(0) > memory_mb_max
      || x.cores_per_executor.value_or(1) > cores_max)
    return "no worker has so many cores or so much memory";
  if (x.instances && x.instances->count > instances_max)
    return "there can be at most " + std::to_string(instances_max)
           + " instances";
  return std::nullopt;
}

} // namespace

// -- events -------------------------------------------------------------------

void Cluster::on(const RegisterApplication& x) {
  if (status_ == RecoveryState::STANDBY)
    return send(x.driver, MasterInStandby{});
  if (auto i = app_endpoints_.find(x.driver); i != app_endpoints_.end()) {
    auto& app = apps_.at(i->second);
    app.reconnect_due.reset();
    if (silent_apps_.contains(i->second))
      send(x.driver, MasterChanged{config_.master_url});
    answered(i->second);
    send(x.driver, RegisteredApplication{app.id, config_.master_url});
    return resend_executors(app);
  }
  if (x.app_id)
    return send(x.driver,
                ApplicationRemoved{to_string(*x.app_id)
                                   + " is not known here (any more)"});
  auto problem = problem_with(x.description);
  if (!problem && x.description.reject_if_it_cannot_fit)
    problem = why_never_fits({x.description.cores_per_executor.value_or(1),
                              x.description.memory_per_executor_mb.value_or(1)},
                             x.description.resources_per_executor, "executor");
  if (problem)
    return send(x.driver, ApplicationRemoved{*problem});

  AppKey key{next_app_++};
  auto& app = apps_[key];
  app.id = AppId{make_id("app", next_app_)};
  touched_.counters = true;
  touch(key);
  app.driver = x.driver;
  app.description = x.description;
  app.submitted = now_;
  app.executor_limit = x.description.initial_executor_limit;
  if (x.description.instances)
    app.instances.emplace(*x.description.instances);
  app_keys_[app.id] = key;
  app_endpoints_[x.driver] = key;
  prefer_hosts(app, x.description.preferred_hosts);
  if (auto refusal = tenants_ ? join_queue(key) : std::nullopt) {
    forget_application(key);
    return send(x.driver, ApplicationRemoved{*refusal});
  }
  send(x.driver, RegisteredApplication{app.id, config_.master_url});
  if (!tenants_)
    admit(key);
  resources_changed_ = true;
}

void Cluster::on(const UnregisterApplication& x) {
  if (auto key = find_application(x.app_id))
    remove_application(*key, ApplicationState::FINISHED, {});
  reply(true);
}

void Cluster::on(const RequestKillApplication& x) {
  auto key = find_application(x.app_id);
  if (!key)
    return reply(KillApplicationResponse{
        x.app_id, false, to_string(x.app_id) + " is not running here"});
  remove_application(*key, ApplicationState::KILLED, "killed on request");
  reply(KillApplicationResponse{x.app_id, true, {}});
}

void Cluster::on(const MasterChangeAcknowledged& x) {
  if (auto key = find_application(x.app_id)) {
    apps_.at(*key).reconnect_due.reset();
    answered(*key);
  }
}

void Cluster::on(const RequestExecutors& x) {
  auto key = find_application(x.app_id);
  if (!key || x.requested_total < 0)
    return reply(false);
  auto& app = apps_.at(*key);
  app.executor_limit = x.requested_total;
  if (x.preferred_hosts)
    prefer_hosts(app, *x.preferred_hosts);
  touch(*key);
  update_demand(*key);
  resources_changed_ = true;
  reply(true);
}

void Cluster::on(const KillExecutors& x) {
  auto key = find_application(x.app_id);
  if (!key)
    return reply(false);
  for (auto exec_id : x.executor_ids)
    if (apps_.at(*key).executors.contains(exec_id)) {
      // The driver need not be the one who asks.
      send(apps_.at(*key).driver,
           ExecutorUpdated{exec_id, ExecutorState::KILLED, "killed on request",
                           std::nullopt, std::nullopt});
      kill_executor(*key, exec_id, "killed on request");
    }
  resources_changed_ = true;
  reply(true);
}

// -- ends ---------------------------------------------------------------------

void Cluster::remove_application(AppKey key, ApplicationState final_state,
                                 const std::string& message) {
  auto& app = apps_.at(key);
  assert(is_finished(final_state));
  while (!app.executors.empty())
    kill_executor(key, app.executors.begin()->first, "application ended");
  app.state = final_state;
  app.ended = now_;
  app.message = message;
  if (final_state != ApplicationState::FINISHED)
    send(app.driver, ApplicationRemoved{message});
  for (auto worker : app.workers)
    if (auto i = workers_.find(worker); i != workers_.end())
      send(i->second.endpoint, ApplicationFinished{app.id});
  record_end(key);
  completed_apps_.push_back(info(app));
  if (completed_apps_.size()
      > static_cast<std::size_t>(config_.retained_applications)) {
    record(EraseApplication{completed_apps_.front().id});
    completed_apps_.pop_front();
  }
  forget_application(key);
  resources_changed_ = true;
}

void Cluster::forget_application(AppKey key) {
  const auto& app = apps_.at(key);
  answered(key);
  app_endpoints_.erase(app.driver);
  app_keys_.erase(app.id);
  if (app.turn) {
    pool_of(app).set_wanted(*app.turn, std::nullopt);
    admitted_.erase(*app.turn);
  }
  if (tenants_)
    tenants_->remove(now_, key);
  apps_.erase(key);
}

void Cluster::check_application(AppKey key) {
  auto i = apps_.find(key);
  if (i == apps_.end())
    return;
  const auto& app = i->second;
  auto look_again = [&](Instant when) {
    check_at(when, Due::application, static_cast<std::uint32_t>(key));
  };
  if (app.reconnect_due) {
    if (*app.reconnect_due <= now_)
      return remove_application(key, ApplicationState::KILLED,
                                "its driver's connection broke and the driver "
                                "did not come back");
    look_again(*app.reconnect_due);
  }
  if (app.started && app.description.time_limit_ms) {
    auto end = *app.started + Duration{*app.description.time_limit_ms};
    if (end <= now_)
      return remove_application(key, ApplicationState::KILLED,
                                "it ran for longer than its time limit");
    look_again(end);
  }
}

// -- figures ------------------------------------------------------------------

std::optional<AppKey> Cluster::find_application(const AppId& id) const {
  auto i = app_keys_.find(id);
  if (i == app_keys_.end())
    return std::nullopt;
  return i->second;
}

int Cluster::cores_left(const Application& app) const {
  auto cap = std::int64_t{cores_max_of(app)};
  if (tenants_)
    cap = std::min(cap, tenants_->admitted_request(app.turn->app).cores);
  return static_cast<int>(cap) - app.cores_granted;
}

int Cluster::executors_left(const Application& app) {
  auto present = static_cast<int>(app.executors.size());
  auto left = app.executor_limit.value_or(no_limit) - present;
  if (app.instances)
    left = std::min(left, static_cast<int>(app.instances->waiting.size()));
  return left;
}

void Cluster::prefer_hosts(Application& app,
                           std::map<std::string, int> hosts) const {
  app.preferred_hosts = std::move(hosts);
  app.on_preferred_hosts.clear();
  if (app.preferred_hosts.empty())
    return;
  for (const auto& [id, executor] : app.executors)
    if (const auto& host = workers_.at(executor.worker).host;
        app.preferred_hosts.contains(host))
      ++app.on_preferred_hosts[host];
}

} // namespace stoker
