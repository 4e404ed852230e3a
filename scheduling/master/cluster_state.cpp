// What a Cluster tells about itself.

#include <algorithm>

#include "scheduling/master/cluster.hpp"

namespace stoker {

ExecutorInfo Cluster::info(const Application& app,
                           const Executor& executor) const {
  ExecutorInfo result;
  result.app_id = app.id;
  result.exec_id = executor.exec_id;
  result.index = executor.index;
  if (auto i = workers_.find(executor.worker); i != workers_.end()) {
    result.worker_id = i->second.id;
    result.host = i->second.host;
  }
  result.cores = executor.cores;
  result.memory_mb = executor.memory_mb;
  result.state = executor.state;
  result.launched_ms = to_ms(executor.launched);
  result.resources = executor.resources;
  return result;
}

ApplicationInfo Cluster::info(const Application& app) const {
  ApplicationInfo result;
  result.id = app.id;
  result.name = app.description.name;
  result.user = app.description.user;
  result.state = app.state;
  result.max_cores = app.description.max_cores;
  result.cores_granted = app.cores_granted;
  result.cores_per_executor = app.cores_per_executor;
  result.memory_per_executor_mb = app.memory_per_executor_mb;
  result.executor_limit = app.executor_limit;
  if (!app.message.empty())
    result.message = app.message;
  result.submitted_ms = to_ms(app.submitted);
  if (app.ended)
    result.ended_ms = to_ms(*app.ended);
  for (const auto& [id, executor] : app.executors)
    result.executors.push_back(info(app, executor));
  result.executors.insert(result.executors.end(), app.ended_executors.begin(),
                          app.ended_executors.end());
  return result;
}

DriverInfo Cluster::info(const Driver& driver) {
  DriverInfo result;
  result.id = driver.id;
  result.name = driver.description.name;
  result.user = driver.description.user;
  result.state = driver.state;
  result.cores = driver.description.cores;
  result.memory_mb = driver.description.memory_mb;
  result.supervise = driver.description.supervise;
  result.worker_id = driver.worker_id;
  result.host = driver.host;
  result.exit_status = driver.exit_status;
  result.message = driver.message;
  result.relaunched_as = driver.relaunched_as;
  result.submitted_ms = to_ms(driver.submitted);
  if (driver.ended)
    result.ended_ms = to_ms(*driver.ended);
  result.resources = driver.resources;
  result.executors_reserved = static_cast<int>(driver.reservations.size());
  return result;
}

MasterStateResponse Cluster::state() const {
  MasterStateResponse result;
  result.master_url = config_.master_url;
  result.status = status_;
  for (const auto& [key, worker] : workers_)
    result.workers.push_back({worker.id, worker.host, worker.port, worker.state,
                              worker.cores, worker.cores_used, worker.memory_mb,
                              worker.memory_used_mb,
                              to_ms(worker.last_heartbeat),
                              worker.resources.all(), worker.resources.used()});
  for (const auto& [key, app] : apps_)
    result.active_apps.push_back(info(app));
  result.completed_apps.assign(completed_apps_.begin(), completed_apps_.end());
  for (const auto& [key, driver] : drivers_)
    if (!driver.ended)
      result.active_drivers.push_back(info(driver));
  for (auto key : completed_drivers_)
    result.completed_drivers.push_back(info(drivers_.at(key)));
  return result;
}

DriverStatusResponse Cluster::driver_status(const DriverId& id) const {
  DriverStatusResponse result;
  auto key = find_driver(id);
  if (!key)
    return result;
  const auto& driver = drivers_.at(*key);
  result.found = true;
  result.state = driver.state;
  result.worker_id = driver.worker_id;
  result.exception = driver.message;
  if (driver.worker) {
    const auto& worker = workers_.at(*driver.worker);
    result.worker_host_port = worker.host + ':' + std::to_string(worker.port);
  }
  return result;
}

const ApplicationDescription* Cluster::description(const AppId& id) const {
  auto key = find_application(id);
  return key ? &apps_.at(*key).description : nullptr;
}

const DriverDescription* Cluster::driver_description(const DriverId& id) const {
  auto key = find_driver(id);
  return key ? &drivers_.at(*key).description : nullptr;
}

std::pair<Errc, EndpointId>
Cluster::log_holder(const RequestLog& request) const {
  auto worker_id = request.executor ? executor_worker(*request.executor)
                   : request.driver ? driver_worker(*request.driver)
                                    : std::nullopt;
  if (!worker_id)
    return {Errc::not_found, {}};
  auto key = find_worker(*worker_id);
  if (!key || !worker_endpoints_.contains(workers_.at(*key).endpoint))
    return {Errc::not_running, {}};
  return {Errc::none, workers_.at(*key).endpoint};
}

std::optional<WorkerId> Cluster::executor_worker(const ExecutorId& id) const {
  auto among = [&](const auto& executors) -> std::optional<WorkerId> {
    auto i = std::find_if(
        executors.begin(), executors.end(),
        [&](const ExecutorInfo& x) { return x.exec_id == id.exec_id; });
    return i == executors.end() ? std::nullopt : std::optional{i->worker_id};
  };
  if (auto key = find_application(id.app_id)) {
    const auto& app = apps_.at(*key);
    if (auto i = app.executors.find(id.exec_id); i != app.executors.end())
      return workers_.at(i->second.worker).id;
    return among(app.ended_executors);
  }
  for (const auto& app : completed_apps_)
    if (app.id == id.app_id)
      return among(app.executors);
  return std::nullopt;
}

std::optional<WorkerId> Cluster::driver_worker(const DriverId& id) const {
  auto key = find_driver(id);
  if (!key)
    return std::nullopt;
  // One that waits has an output that is still empty, nowhere.
  return drivers_.at(*key).worker_id.value_or(WorkerId{});
}

std::pair<Resources, Resources> Cluster::capacity() const {
  Resources total;
  Resources free;
  for (const auto& [key, worker] : workers_)
    if (worker.state == WorkerState::ALIVE) {
      total += {worker.cores, worker.memory_mb};
      free += {worker.cores_free(), worker.memory_free_mb()};
    }
  return {total, free};
}

WorkerId Cluster::worker_at(const EndpointId& endpoint) const {
  auto i = worker_endpoints_.find(endpoint);
  return i == worker_endpoints_.end() ? WorkerId{} : workers_.at(i->second).id;
}

std::optional<AppId> Cluster::application_at(const EndpointId& endpoint) const {
  auto i = app_endpoints_.find(endpoint);
  if (i == app_endpoints_.end())
    return std::nullopt;
  return apps_.at(i->second).id;
}

} // namespace stoker
