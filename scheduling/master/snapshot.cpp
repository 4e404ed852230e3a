#include "scheduling/master/snapshot.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "scheduling/master/reservations.hpp"

namespace stoker {

namespace {

std::optional<std::int64_t> milliseconds(const std::optional<Instant>& x) {
  return x ? std::optional{to_ms(*x)} : std::nullopt;
}

std::optional<std::string> problem_of(const Worker& worker) {
  const auto& x = worker.failed_starts;
  if (!x.rests_until)
    return std::nullopt;
  return "it could not start a program"
         + (x.in_a_row > 1
                ? ", " + std::to_string(x.in_a_row) + " times in a row"
                : std::string{})
         + ": " + x.why;
}

WorkerInfo info_of(const ClusterState& state, WorkerKey key,
                   const Worker& worker, const WorkerAccount& account) {
  const auto& stored = worker.stored;
  auto reserved = reserved_on(state, key);
  return {stored.id,
          stored.host,
          stored.port,
          stored.state,
          stored.cores,
          account.used.cores,
          stored.memory_mb,
          account.used.memory_mb,
          to_ms(worker.last_heartbeat),
          stored.resources,
          account.named.used(),
          static_cast<int>(reserved.cores),
          reserved.memory_mb,
          problem_of(worker),
          stored.spark_versions,
          stored.only_spark};
}

OutputPlaceResponse place_of(const WorkerId& worker, ExecutorState state) {
  return {worker, is_finished(state), std::nullopt};
}

std::optional<OutputPlaceResponse> place_of(const ClusterState& state,
                                            const ExecutorId& id) {
  if (auto key = state.applications.find(id.app_id)) {
    const auto& app = state.applications.at(*key);
    if (const auto* present = app.executors.find(id.exec_id))
      return place_of(present->stored.worker_id, present->stored.state);
    if (const auto* ended = app.ended_executors.find(id.exec_id))
      return place_of(ended->worker_id, ended->state);
  } else if (const auto* over = state.applications.find_ended(id.app_id)) {
    for (const auto& x : over->executors)
      if (x.exec_id == id.exec_id)
        return place_of(x.worker_id, x.state);
  }
  return std::nullopt;
}

std::optional<OutputPlaceResponse> place_of(const ClusterState& state,
                                            const DriverId& id) {
  auto key = state.drivers.find(id);
  if (!key)
    return std::nullopt;
  const auto& x = state.drivers.at(*key).stored;
  auto never_ran = x.ended && x.failed_starts > 0 && x.restarts == 0;
  return OutputPlaceResponse{
      never_ran ? std::nullopt : x.worker_id,
      is_finished(x.state) || x.relaunched_as.has_value(), x.relaunched_as};
}

/// Adds executors to what is told of applications, as many as were asked for.
class ExecutorList {
public:
  explicit ExecutorList(std::optional<int> max)
      : left_(std::max(0, max.value_or(std::numeric_limits<int>::max()))) {
  }

  void add(ApplicationInfo& to, const Application& app) {
    for (const auto& [id, executor] : app.executors.present())
      if (left_ > 0) {
        to.executors.push_back(info_of(executor.stored));
        --left_;
      }
    auto first = std::ssize(to.executors);
    app.ended_executors.for_each_from_last([&](const StoredExecutor& x) {
      if (left_ == 0)
        return false;
      to.executors.push_back(info_of(x));
      --left_;
      return true;
    });
    std::reverse(to.executors.begin() + first, to.executors.end());
  }

  void add(ApplicationInfo& to, const EndedApplication& app) {
    auto count = std::min(std::ssize(app.executors),
                          static_cast<std::ptrdiff_t>(left_));
    for (auto i = app.executors.end() - count; i != app.executors.end(); ++i)
      to.executors.push_back(info_of(*i));
    left_ -= static_cast<int>(count);
  }

private:
  int left_;
};

void add_applications(MasterStateResponse& result, const ClusterState& state,
                      const RequestMasterState& request) {
  ExecutorList executors{request.executors_max};
  auto add_active = [&](const Application& app) {
    executors.add(result.active_apps.emplace_back(info_of(app)), app);
  };
  auto add_ended = [&](const EndedApplication& app) {
    executors.add(result.completed_apps.emplace_back(app.info), app);
  };
  const auto& applications = state.applications;
  if (const auto& id = request.app_id) {
    if (auto key = applications.find(*id))
      add_active(applications.at(*key));
    else if (const auto* ended = applications.find_ended(*id))
      add_ended(*ended);
    return;
  }
  for (const auto& [key, app] : applications.all())
    add_active(app);
  // The last ones are asked for most.
  for (auto i = applications.ended().rbegin(); i != applications.ended().rend();
       ++i)
    add_ended(*i);
  std::reverse(result.completed_apps.begin(), result.completed_apps.end());
}

std::vector<std::string> names_of(const std::vector<Dependency>& xs) {
  std::vector<std::string> result;
  for (const auto& x : xs)
    result.push_back(x.app ? x.app->value : x.driver.value().value);
  return result;
}

} // namespace

ExecutorInfo info_of(const StoredExecutor& x) {
  ExecutorInfo result;
  result.app_id = x.app_id;
  result.exec_id = x.exec_id;
  result.index = x.index;
  result.worker_id = x.worker_id;
  result.host = x.host;
  result.cores = x.cores;
  result.memory_mb = x.memory_mb;
  result.state = x.state;
  result.exit_status = x.exit_status;
  result.message = x.message;
  result.launched_ms = to_ms(x.launched);
  result.ended_ms = milliseconds(x.ended);
  result.resources = x.resources;
  result.use = x.use;
  return result;
}

ApplicationInfo info_of(const StoredApplication& x) {
  ApplicationInfo result;
  result.id = x.id;
  result.name = x.description.name;
  result.user = x.description.user;
  result.state = x.state;
  result.max_cores = x.description.max_cores;
  // Until its executors have a size: what it asks for.
  result.cores_per_executor = x.cores_per_executor
                                  ? x.cores_per_executor
                                  : x.description.cores_per_executor;
  result.memory_per_executor_mb
      = x.memory_per_executor_mb > 0
            ? x.memory_per_executor_mb
            : x.description.memory_per_executor_mb.value_or(0);
  result.executor_limit = x.executor_limit;
  result.gang = x.gang;
  if (!x.message.empty())
    result.message = x.message;
  result.submitted_ms = to_ms(x.submitted);
  result.ended_ms = milliseconds(x.ended);
  if (x.description.instances) {
    result.instances = x.description.instances->count;
    result.instances_done = x.instances_done;
  }
  result.executors_started = x.next_exec_id;
  result.waits_for = names_of(x.waits_for);
  return result;
}

ApplicationInfo info_of(const Application& app) {
  auto result = info_of(app.stored);
  result.cores_granted = app.executors.cores();
  // Of those that have ended the number is all that is stored.
  if (app.instances)
    result.instances_done
        = std::max(result.instances_done, app.instances->count_done());
  result.executors_started = app.executors.next_id();
  return result;
}

bool is_being_ended(const StoredDriver& x) {
  return x.kill_requested && !is_finished(x.state) && !x.relaunched_as;
}

DriverInfo info_of(const StoredDriver& x) {
  DriverInfo result;
  result.id = x.id;
  result.name = x.description.name;
  result.user = x.description.user;
  result.state = x.state;
  result.cores = x.description.cores;
  result.memory_mb = x.description.memory_mb;
  result.supervise = x.description.supervise;
  result.worker_id = x.worker_id;
  result.host = x.host;
  result.exit_status = x.exit_status;
  result.message = is_being_ended(x) ? being_ended_text : x.message;
  result.relaunched_as = x.relaunched_as;
  result.submitted_ms = to_ms(x.submitted);
  result.ended_ms = milliseconds(x.ended);
  result.resources = x.resources;
  result.restarts = x.restarts;
  result.started_ms = milliseconds(x.started);
  result.use = x.use;
  result.max_restarts = x.description.max_restarts;
  result.waits_for = names_of(x.waits_for);
  return result;
}

DriverInfo info_of(const ClusterState& state, DriverKey key) {
  auto result = info_of(state.drivers.at(key).stored);
  const auto* kept = state.reservations.find(key);
  result.executors_reserved = kept == nullptr ? 0 : kept->count();
  return result;
}

MasterStateResponse snapshot(const ClusterState& state,
                             const RequestMasterState& request) {
  MasterStateResponse result;
  result.master_url = state.config.master_url;
  result.status = state.recovery.status();
  if (request.workers)
    for (const auto& [key, worker] : state.workers.all())
      result.workers.push_back(
          info_of(state, key, worker, state.capacity.account(key)));
  if (request.applications)
    add_applications(result, state, request);
  if (request.drivers) {
    for (const auto& [key, driver] : state.drivers.all())
      if (!driver.stored.ended)
        result.active_drivers.push_back(info_of(state, key));
    for (const auto& [number, key] : state.drivers.ended())
      result.completed_drivers.push_back(info_of(state, key));
  }
  return result;
}

DriverStatusResponse driver_status(const ClusterState& state,
                                   const DriverId& id) {
  DriverStatusResponse result;
  auto first = state.drivers.find(id);
  if (!first)
    return result;
  // Clients know the driver by its first id, wherever it runs now.
  const auto& driver = state.drivers.at(state.drivers.last_start(*first));
  result.found = true;
  result.state = driver.stored.state;
  result.worker_id = driver.stored.worker_id;
  result.exception = driver.stored.message;
  if (const auto& host = driver.stored.host) {
    auto port = driver.stored.worker_port;
    result.worker_host_port
        = *host + (port == 0 ? "" : ':' + std::to_string(port));
  }
  return result;
}

const ApplicationDescription* find_description(const ClusterState& state,
                                               const AppId& id) {
  auto key = state.applications.find(id);
  return key ? &state.applications.at(*key).stored.description : nullptr;
}

const DriverDescription* find_description(const ClusterState& state,
                                          const DriverId& id) {
  auto key = state.drivers.find(id);
  return key ? &state.drivers.at(*key).stored.description : nullptr;
}

std::optional<OutputPlaceResponse>
output_place(const ClusterState& state, const RequestOutputPlace& request) {
  auto id = program_of(request);
  if (!id)
    return std::nullopt;
  return std::visit([&](const auto& x) { return place_of(state, x); }, *id);
}

std::optional<EndpointId> find_output_holder(const ClusterState& state,
                                             const WorkerId& id) {
  auto key = state.workers.find(id);
  if (!key)
    return std::nullopt;
  const auto& worker = state.workers.at(*key).stored;
  return worker.state == WorkerState::DEAD ? std::nullopt
                                           : std::optional{worker.endpoint};
}

Result<EndpointId> find_input_reader(const ClusterState& state,
                                     const WriteInput& x) {
  Error unknown{Errc::not_found, to_string(x.executor) + " does not run on "
                                     + to_string(x.worker_id)};
  auto app = state.applications.find(x.executor.app_id);
  if (!app)
    return unknown;
  const auto* executor
      = state.applications.at(*app).executors.find(x.executor.exec_id);
  if (executor == nullptr || !state.workers.contains(executor->worker))
    return unknown;
  const auto& worker = state.workers.at(executor->worker).stored;
  if (worker.id != x.worker_id)
    return unknown;
  return worker.endpoint;
}

std::pair<Resources, Resources> total_and_free(const ClusterState& state) {
  Resources free;
  for (const auto& [key, worker] : state.workers.all())
    if (worker.stored.state == WorkerState::ALIVE) {
      auto x = state.capacity.account(key).free();
      free += {x.cores, x.memory_mb};
    }
  return {state.capacity.alive(), free};
}

std::optional<WorkerId> worker_at(const ClusterState& state,
                                  const EndpointId& endpoint) {
  auto key = state.workers.find_by_endpoint(endpoint);
  return key ? std::optional{state.workers.at(*key).stored.id} : std::nullopt;
}

std::optional<AppId> application_at(const ClusterState& state,
                                    const EndpointId& endpoint) {
  auto key = state.applications.find_by_driver(endpoint);
  return key ? std::optional{state.applications.at(*key).stored.id}
             : std::nullopt;
}

} // namespace stoker
