#include "tests/scheduling/master/random_events.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace stoker::test {

std::pair<Instant, Event> RandomEvents::next(const MasterStateResponse& state) {
  // Steps are small against all time-outs, with a leap now and then.
  now_ += Duration{once_in(40) ? below(60'000) : below(1500)};
  if (past_.empty())
    past_.push_back(ElectedLeader{});
  else if (once_in(12))
    return {now_, any_of(past_)};
  else
    past_.push_back(invent(state));
  return {now_, past_.back()};
}

Event RandomEvents::invent(const MasterStateResponse& state) {
  switch (below(13)) {
  case 12:
    if (!state.completed_apps.empty())
      return end_of_killed(state);
    return about_executor(state);
  case 0:
  case 1:
    if (once_in(10))
      return MasterStalled{below(30'000)};
    return CheckForWorkerTimeOut{};
  case 2:
    return register_worker(any_worker_name());
  case 3:
  case 4:
  case 5:
    return about_worker(state);
  case 6:
    return about_application(state);
  case 7:
    return about_driver(state);
  default:
    return about_executor(state);
  }
}

// -- workers ------------------------------------------------------------------

Event RandomEvents::register_worker(const std::string& name) {
  RegisterWorker result;
  result.id = WorkerId{name};
  result.worker = endpoint_of(name);
  result.host = "h" + std::to_string(below(6));
  result.port = once_in(3) ? 0 : 7000;
  // The same name mostly offers the same; another size is refused.
  auto size = static_cast<int>(name.back() - '0');
  result.cores = 1 + size % 5 + (once_in(30) ? 1 : 0);
  result.memory_mb = 512 * (1 + size % 3);
  if (size % 2 == 0)
    result.resources["gpu"] = {"0", "1", "2"};
  if (size % 3 == 0)
    result.resources["fpga"] = {"x"};
  // What is installed changes now and then; some are for nothing else.
  if (size % 3 != 2 || once_in(20))
    result.spark_versions = {once_in(3) ? "3.5.8" : "3.5.9"};
  if (size >= 4 && size <= 6)
    result.spark_versions.push_back("4.1.4");
  result.only_spark = size == 5;
  result.leaving = once_in(20);
  return result;
}

Event RandomEvents::about_worker(const MasterStateResponse& state) {
  if (state.workers.empty())
    return register_worker(any_worker_name());
  const auto& worker = any_of(state.workers);
  // Who is away comes back, mostly.
  if (worker.state == WorkerState::UNKNOWN && once_in(2))
    return register_worker(worker.id.value);
  if (worker.state == WorkerState::DECOMMISSIONED && once_in(3))
    return WorkerLeft{worker.id, endpoint_of(worker.id.value)};
  switch (below(14)) {
  case 0:
    return EndpointLost{endpoint_of(worker.id.value)};
  case 1:
    return once_in(4) ? Event{WorkerDecommissioning{worker.id, {}}}
                      : Event{DecommissionWorkers{{worker.id, WorkerId{"w9"}}}};
  case 2:
  case 3:
  case 4:
  case 5:
    return report(worker, state);
  default:
    return Heartbeat{worker.id, endpoint_of(worker.id.value)};
  }
}

/// What the master believes, but for some that are gone or should not be there.
Event RandomEvents::report(const WorkerInfo& worker,
                           const MasterStateResponse& state) {
  WorkerLatestState result;
  result.id = worker.id;
  for (const auto& app : state.active_apps)
    for (const auto& x : app.executors)
      if (x.worker_id == worker.id && !once_in(10))
        result.executors.push_back(
            {app.id, x.exec_id, x.cores, x.memory_mb, ExecutorState::RUNNING});
  for (const auto& x : state.active_drivers)
    if (x.worker_id == worker.id && !once_in(10))
      result.driver_ids.push_back(x.id);
  if (once_in(10))
    result.driver_ids.push_back(DriverId{"driver-0"});
  // It answers an earlier question.
  if (once_in(10))
    result.question.emplace();
  if (once_in(2))
    return WorkerSchedulerStateResponse{
        result.id, result.executors, result.driver_ids, {}, result.question};
  return result;
}

// -- programs -----------------------------------------------------------------

std::string RandomEvents::any_spark_version() {
  return once_in(2) ? "3.5.9" : "4.1.0";
}

/// Of Spark's, or another one; now and then one that nobody could start.
Command RandomEvents::any_command() {
  Command result;
  if (!once_in(4)) {
    result.arguments = {"program"};
    return result;
  }
  auto& spark = result.spark.emplace();
  spark.version = once_in(20) ? "3.5" : once_in(3) ? "" : any_spark_version();
  spark.main_class = once_in(20) ? "" : "Main";
  return result;
}

/// Some that are there, and now and then one that is not, or none at all.
std::vector<Dependency>
RandomEvents::any_dependencies(const MasterStateResponse& state) {
  std::vector<Dependency> result;
  if (!once_in(4))
    return result;
  auto count = 1 + below(2);
  for (auto i = 0; i < count; ++i) {
    Dependency x;
    x.success = once_in(2);
    if (!state.active_apps.empty() && once_in(2))
      x.app = any_of(state.active_apps).id;
    else if (!state.active_drivers.empty() && !once_in(10))
      x.driver = any_of(state.active_drivers).id;
    else if (!once_in(10))
      x.driver = DriverId{"driver-0"};
    result.push_back(std::move(x));
  }
  return result;
}

std::optional<EndHook> RandomEvents::any_hook() {
  if (!once_in(10))
    return std::nullopt;
  EndHook result;
  result.command = any_command();
  result.retries = below(3);
  return result;
}

// -- applications -------------------------------------------------------------

/// Mostly a driver of the user, if there is one.
DriverId RandomEvents::driver_for(const MasterStateResponse& state,
                                  const std::string& user) {
  std::vector<DriverId> result;
  for (const auto& x : state.active_drivers)
    if (x.user == user)
      result.push_back(x.id);
  return result.empty() || once_in(4) ? any_of(state.active_drivers).id
                                      : any_of(result);
}

Event RandomEvents::register_application(const MasterStateResponse& state) {
  RegisterApplication result;
  result.driver = EndpointId{"a" + std::to_string(below(6))};
  auto& x = result.description;
  x.name = result.driver.value;
  x.user = x.name;
  x.command = any_command();
  if (!once_in(4))
    x.memory_per_executor_mb = 128 * (1 + below(6));
  if (once_in(4))
    x.resources_per_executor["gpu"] = 1 + below(2);
  if (once_in(8))
    x.resources_per_executor["fpga"] = 1;
  if (once_in(4))
    x.preferred_hosts = {{"h" + std::to_string(below(6)), below(3)}};
  if (once_in(3))
    x.memory_per_task_mb = 64;
  if (once_in(6))
    x.time_limit_ms = 30'000;
  x.priority = below(3);
  if (!state.active_drivers.empty() && once_in(2))
    x.driver_id = driver_for(state, x.user);
  if (!once_in(3))
    x.cores_per_executor = 1 + below(3);
  if (!once_in(3))
    x.max_cores = 1 + below(10);
  if (once_in(3))
    x.initial_executor_limit = below(4);
  if (once_in(3))
    x.instances = Instances{1 + below(5), below(3), below(2) == 0, {}};
  if (once_in(3))
    x.gang = 1 + below(4);
  x.after = any_dependencies(state);
  x.on_end = any_hook();
  x.reject_if_it_cannot_fit = once_in(3);
  if (once_in(20))
    result.app_id = AppId{"app-0"};
  return result;
}

Event RandomEvents::about_application(const MasterStateResponse& state) {
  if (state.active_apps.empty() || once_in(3))
    return register_application(state);
  const auto& app = any_of(state.active_apps);
  switch (below(11)) {
  case 10:
    return SetSparkVersion{app.id, once_in(20) ? "3" : any_spark_version()};
  case 0:
    return UnregisterApplication{app.id, false, {}};
  case 1:
    return once_in(3)
               ? Event{RequestKillApplication{app.id}}
               : Event{MasterChangeAcknowledged{app.id, EndpointId{app.name}}};
  case 2:
    // From its first heartbeat on it has to send them. Some have not registered.
    if (once_in(10))
      return ApplicationHeartbeat{EndpointId{"a" + std::to_string(below(8))}};
    return EndpointLost{EndpointId{app.name}};
  case 3:
  case 4:
  case 5:
    return KillExecutors{app.id, {below(10), below(30), below(100)}};
  default:
    if (once_in(4))
      return RequestExecutors{
          app.id, below(8),
          std::map<std::string, int>{{"h" + std::to_string(below(6)), 2}}};
    if (once_in(4))
      return RequestExecutors{app.id, below(8), std::nullopt, below(5)};
    return RequestExecutors{app.id, below(8) - 1, std::nullopt};
  }
}

/// Workers may say anything.
std::optional<std::int64_t> RandomEvents::any_ago() {
  switch (below(8)) {
  case 0:
    return below(100'000);
  case 1:
    return std::numeric_limits<std::int64_t>::max();
  case 2:
    return std::numeric_limits<std::int64_t>::min();
  default:
    return std::nullopt;
  }
}

/// Says that an executor ended which was told to when its application did. Others wait for
/// that.
Event RandomEvents::end_of_killed(const MasterStateResponse& state) {
  // Of those that ended long ago, most was told.
  const auto& all = state.completed_apps;
  const auto& app = all[all.size() - 1
                        - random_.below(std::min<std::size_t>(all.size(), 5))];
  std::vector<int> killed;
  for (const auto& x : app.executors)
    if (x.state == ExecutorState::KILLED)
      killed.push_back(x.exec_id);
  ExecutorStateChanged result;
  result.app_id = app.id;
  result.exec_id = killed.empty() ? 0 : any_of(killed);
  result.state = ExecutorState::KILLED;
  result.ended_ago_ms = any_ago();
  return result;
}

Event RandomEvents::about_executor(const MasterStateResponse& state) {
  if (state.active_apps.empty())
    return register_application(state);
  const auto& app = any_of(state.active_apps);
  if (app.executors.empty())
    return register_application(state);
  ExecutorStateChanged result;
  result.app_id = app.id;
  result.exec_id = any_of(app.executors).exec_id;
  switch (below(6)) {
  case 0:
    result.state = ExecutorState::EXITED;
    result.exit_status = 0;
    break;
  case 1:
    result.state = ExecutorState::EXITED;
    result.exit_status = once_in(2) ? 1 : 137;
    break;
  case 2:
    result.state = once_in(2) ? ExecutorState::FAILED : ExecutorState::KILLED;
    break;
  default:
    result.state = ExecutorState::RUNNING;
  }
  result.ended_ago_ms = any_ago();
  return result;
}

// -- drivers ------------------------------------------------------------------

Event RandomEvents::about_driver(const MasterStateResponse& state) {
  if (state.active_drivers.empty() || once_in(3)) {
    RequestSubmitDriver result;
    auto& x = result.driver_description;
    x.command = any_command();
    // Some users are unknown to the rules for tenants.
    x.user = "a" + std::to_string(below(6));
    x.cores = 1 + below(3);
    x.memory_mb = 128 * (1 + below(6));
    x.supervise = once_in(2);
    x.after = any_dependencies(state);
    x.on_end = any_hook();
    if (once_in(3))
      x.max_restarts = below(3);
    if (once_in(5))
      x.resources["gpu"] = 1;
    if (once_in(2))
      x.executors = DriverExecutors{1 + below(2), 1 + below(2), 128, {}};
    if (x.executors && once_in(3))
      x.executors->resources["gpu"] = 1;
    return result;
  }
  const auto& driver = any_of(state.active_drivers);
  if (once_in(4))
    return RequestKillDriver{driver.id};
  DriverStateChanged result;
  result.driver_id = driver.id;
  result.state = once_in(2)   ? DriverState::RUNNING
                 : once_in(3) ? DriverState::FINISHED
                 : once_in(2) ? DriverState::FAILED
                              : DriverState::KILLED;
  result.ended_ago_ms = any_ago();
  return result;
}

} // namespace stoker::test
