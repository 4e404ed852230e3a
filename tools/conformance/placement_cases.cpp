#include "tools/conformance/placement_cases.hpp"

#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include <boost/json.hpp>

#include "messages/json.hpp"
#include "scheduling/master/cluster.hpp"
#include "scheduling/master/snapshot.hpp"
#include "tools/conformance/case_fields.hpp"
#include "tools/conformance/cluster_hook.hpp"

namespace stoker::conformance {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr int unlimited = std::numeric_limits<int>::max();

void allow_app(const json::object& x) {
  allow(x, {"id", "cores_per_executor", "memory_per_executor_mb", "max_cores",
            "executor_limit"});
}

std::optional<int> optional_int(const json::value& x) {
  return from_json<std::optional<int>>(x);
}

WorkerId worker_id(const json::value& x) {
  return WorkerId{text(x)};
}

/// One case of kind `schedule`. Workers and applications have the case's ids as
/// their endpoints.
class Run {
public:
  explicit Run(const json::object& from)
      : default_cores_(optional_int(from.at("default_cores"))),
        cluster_(config(from)) {
    apply(ElectedLeader{});
    for (const auto& x : from.at("workers").as_array())
      add_worker(x.as_object());
    for (const auto& x : from.at("apps").as_array())
      submit(x.as_object());
  }

  /// Applies one entry of `changes`, without a pass.
  void change(const json::object& x) {
    auto op = text(x.at("op"));
    allow_change(op, x);
    if (op == "add_worker")
      add_worker(x.at("worker").as_object());
    else if (op == "submit_app")
      submit(x.at("app").as_object());
    else if (op == "set_executor_limit")
      apply(RequestExecutors{app_id(x), x.at("limit").to_number<int>()});
    else if (op == "kill_executors")
      apply(KillExecutors{app_id(x),
                          from_json<std::vector<int>>(x.at("exec_ids"))});
    else if (op == "executor_exited")
      apply(ExecutorStateChanged{app_id(x), x.at("exec_id").to_number<int>(),
                                 ExecutorState::EXITED, std::nullopt, 0});
    else if (op == "finish_app")
      apply(UnregisterApplication{app_id(x)});
    else if (op == "remove_worker")
      silence(worker_id(x.at("worker")));
    else if (op == "decommission_worker")
      apply(WorkerDecommissioning{worker_id(x.at("worker")), {}});
    else if (op == "set_worker_state")
      ClusterHook::set_state(cluster_, worker_id(x.at("worker")),
                             from_json<WorkerState>(x.at("state")));
    else
      throw std::invalid_argument{"unknown change: " + op};
  }

  /// Runs one pass and fills in what came of it.
  void pass_into(json::object& result) {
    auto effects = ClusterHook::pass(cluster_, now_);
    auto state = snapshot(cluster_.state());
    result["expect"] = launched(effects, state);
    result["after"] = figures(state);
  }

private:
  static void allow_change(const std::string& op, const json::object& x) {
    if (op == "submit_app")
      allow(x, {"op", "app"});
    else if (op == "set_executor_limit")
      allow(x, {"op", "app", "limit"});
    else if (op == "kill_executors")
      allow(x, {"op", "app", "exec_ids"});
    else if (op == "executor_exited")
      allow(x, {"op", "app", "exec_id"});
    else if (op == "finish_app")
      allow(x, {"op", "app"});
    else if (op == "set_worker_state")
      allow(x, {"op", "worker", "state"});
    else
      allow(x, {"op", "worker"});
  }

  static ClusterConfig config(const json::object& from) {
    ClusterConfig result;
    result.spread_out = from.at("spreadOut").as_bool();
    result.default_cores = optional_int(from.at("default_cores"));
    result.worker_timeout = 60s;
    // Workers that are lost or not connected stay as they are.
    result.dead_worker_persistence = 1'000'000;
    result.reconnect_timeout = 100'000h;
    result.outage_timeout = Duration{};
    result.worker_backoff = Duration{};
    return result;
  }

  OutgoingMessages apply(const Event& what) {
    return ClusterHook::apply(cluster_, now_, what);
  }

  void add_worker(const json::object& x) {
    allow(x, {"id", "cores", "memory_mb", "state"});
    RegisterWorker message;
    message.id = worker_id(x.at("id"));
    message.worker = EndpointId{message.id.value};
    message.host = message.id.value;
    message.cores = x.at("cores").to_number<int>();
    message.memory_mb = x.at("memory_mb").to_number<std::int64_t>();
    if (message.cores > 0 && message.memory_mb > 0)
      apply(message);
    else
      ClusterHook::admit(cluster_, now_, message);
    switch (from_json<WorkerState>(x.at("state"))) {
    case WorkerState::ALIVE:
      break;
    case WorkerState::DEAD:
      silence(message.id);
      break;
    case WorkerState::DECOMMISSIONED:
      apply(WorkerDecommissioning{message.id, message.worker});
      break;
    case WorkerState::UNKNOWN:
      apply(EndpointLost{message.worker});
      break;
    }
  }

  void submit(const json::object& x) {
    allow_app(x);
    auto name = text(x.at("id"));
    RegisterApplication message;
    message.driver = EndpointId{name};
    auto& description = message.description;
    description.name = name;
    description.command.arguments = {"executor"};
    description.cores_per_executor = optional_int(x.at("cores_per_executor"));
    description.memory_per_executor_mb
        = x.at("memory_per_executor_mb").to_number<std::int64_t>();
    description.max_cores = optional_int(x.at("max_cores"));
    description.initial_executor_limit = optional_int(x.at("executor_limit"));
    for (const auto& effect : apply(message))
      if (const auto* x_sent = std::get_if<Send>(&effect))
        if (const auto* accepted
            = std::get_if<RegisteredApplication>(&x_sent->message))
          app_ids_[name] = accepted->app_id;
    if (!app_ids_.contains(name))
      throw std::invalid_argument{"application refused: " + name};
  }

  AppId app_id(const json::object& change) const {
    auto i = app_ids_.find(text(change.at("app")));
    return i == app_ids_.end() ? AppId{} : i->second;
  }

  /// Lets the worker's time run out, while all others go on beating.
  void silence(const WorkerId& id) {
    now_ += 30s;
    for (const auto& worker : snapshot(cluster_.state()).workers)
      if (worker.id != id && worker.state != WorkerState::DEAD)
        apply(Heartbeat{worker.id, {}});
    now_ += 30s;
    apply(CheckForWorkerTimeOut{});
  }

  static json::value launched(const OutgoingMessages& effects,
                              const MasterStateResponse& state) {
    json::array result;
    for (const auto& app : state.active_apps) {
      json::object assigned;
      json::array executors;
      for (const auto& effect : effects) {
        const auto* x = std::get_if<StartExecutor>(&effect);
        if (x == nullptr || x->app_id != app.id)
          continue;
        auto& cores = assigned[x->to.value];
        cores = x->cores + (cores.is_null() ? 0 : cores.to_number<int>());
        executors.push_back({{"worker", x->to.value},
                             {"cores", x->cores},
                             {"memory_mb", x->memory_mb},
                             {"exec_id", x->exec_id}});
      }
      result.push_back({{"app", app.name},
                        {"assigned_cores", std::move(assigned)},
                        {"executors", std::move(executors)}});
    }
    return result;
  }

  json::value figures(const MasterStateResponse& state) const {
    json::array apps;
    for (const auto& app : state.active_apps) {
      auto cap
          = app.max_cores ? *app.max_cores : default_cores_.value_or(unlimited);
      int present = 0;
      for (const auto& executor : app.executors)
        present += executor.ended_ms ? 0 : 1;
      apps.push_back({{"app", app.name},
                      {"cores_granted", app.cores_granted},
                      {"cores_left", cap - app.cores_granted},
                      {"executors", present}});
    }
    json::array workers;
    for (const auto& x : state.workers)
      workers.push_back({{"worker", x.id.value},
                         {"cores_free", x.cores - x.cores_used},
                         {"memory_free_mb", x.memory_mb - x.memory_used_mb},
                         {"state", to_string(x.state)}});
    return {{"apps", std::move(apps)}, {"workers", std::move(workers)}};
  }

  std::optional<int> default_cores_;
  Cluster cluster_;
  Instant now_;
  std::map<std::string, AppId> app_ids_;
};

json::value assign(json::object x) {
  allow(x, {"id", "kind", "spark_version", "note", "spreadOut", "workers",
            "app", "existing_executors", "existing_cores_each", "expect"});
  const auto& app = x.at("app").as_object();
  allow_app(app);
  auto existing = x.at("existing_executors").to_number<int>();
  auto cores_each = x.at("existing_cores_each").to_number<int>();
  ExecutorDemand demand;
  demand.cores_per_executor = optional_int(app.at("cores_per_executor"));
  demand.memory_per_executor_mb
      = app.at("memory_per_executor_mb").to_number<std::int64_t>();
  demand.cores_left = optional_int(app.at("max_cores")).value_or(unlimited)
                      - existing * cores_each;
  demand.executors_left
      = optional_int(app.at("executor_limit")).value_or(unlimited) - existing;
  std::vector<FreeResources> workers;
  for (const auto& worker : x.at("workers").as_array())
    workers.push_back({worker.at("cores").to_number<int>(),
                       worker.at("memory_mb").to_number<std::int64_t>()});
  auto cores = assign_cores(demand, workers, x.at("spreadOut").as_bool());
  x["expect"] = json::object{{"assigned_cores", to_json(cores)}};
  return x;
}

} // namespace

boost::json::value complete(const boost::json::value& original) {
  auto result = original.as_object();
  auto kind = text(result.at("kind"));
  if (kind == "assign")
    return assign(std::move(result));
  if (kind != "schedule")
    throw std::invalid_argument{"unknown kind of case: " + kind};
  allow(result,
        {"id", "kind", "spark_version", "note", "spreadOut", "default_cores",
         "workers", "apps", "expect", "after", "rounds"});
  Run run{result};
  run.pass_into(result);
  if (!result.contains("rounds"))
    return result;
  for (auto& round : result["rounds"].as_array()) {
    allow(round.as_object(), {"changes", "expect", "after", "note"});
    for (const auto& change : round.at("changes").as_array())
      run.change(change.as_object());
    run.pass_into(round.as_object());
  }
  return result;
}

} // namespace stoker::conformance
