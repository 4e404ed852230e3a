#include "tools/benchmark/core_cluster.hpp"

#include <algorithm>

namespace stoker::benchmark {

namespace {

constexpr int companies = 100;
constexpr int users_each = 100;

TenantsConfig tenants() {
  TenantsConfig result;
  for (int i = 0; i < companies; ++i) {
    auto company = "company-" + std::to_string(i);
    result.companies.push_back({company, {}, {}, {}, {}});
    for (int j = 0; j < users_each; ++j)
      result.users.push_back(
          {"user-" + std::to_string(i * users_each + j), company, {}, {}, {}});
  }
  return result;
}

} // namespace

ClusterConfig core_config(bool spread_out, Sharing sharing) {
  ClusterConfig config;
  if (sharing == Sharing::tenants)
    config.tenants = tenants();
  config.master_url = "stoker://127.0.0.1:7070";
  config.spread_out = spread_out;
  return config;
}

ApplicationDescription describe(const AppSize& size) {
  ApplicationDescription result;
  result.name = "app";
  result.user = "peer";
  result.command.arguments = {"executor"};
  result.cores_per_executor = size.cores_per_executor;
  result.memory_per_executor_mb = size.memory_per_executor_mb;
  result.max_cores = std::max(1, size.executors) * size.cores_per_executor;
  result.initial_executor_limit = size.at_first;
  result.gang = size.gang;
  if (size.executors == 0)
    result.initial_executor_limit = 0;
  if (size.instances > 0)
    result.instances = Instances{size.instances};
  return result;
}

CoreCluster::CoreCluster(ClusterConfig config, int workers, int cores,
                         std::int64_t memory_mb)
    : cluster_(std::move(config)) {
  (void)cluster_.step(now_, ElectedLeader{});
  for (int i = 0; i < workers; ++i) {
    auto host = "10." + std::to_string(i / 62500) + '.'
                + std::to_string(i / 250 % 250) + '.'
                + std::to_string(i % 250 + 1);
    auto id = "worker-20261121074600-" + host + "-7078";
    (void)cluster_.step(now_, RegisterWorker{WorkerId{id}, EndpointId{id}, host,
                                             7078, cores, memory_mb});
  }
}

CoreCluster::Step CoreCluster::step(const Event& what) {
  Step result;
  now_ += Duration{1};
  auto start = BenchClock::now();
  auto effects = cluster_.step(now_, what);
  result.seconds = seconds_since(start);
  for (const auto& effect : effects.messages) {
    if (const auto* x = std::get_if<StartExecutor>(&effect))
      result.started.push_back(ExecutorId{x->app_id, x->exec_id});
    else if (const auto* y = std::get_if<Send>(&effect))
      if (const auto* z = std::get_if<RegisteredApplication>(&y->message))
        result.registered = z->app_id;
  }
  return result;
}

CoreCluster::Step CoreCluster::add_app(const AppSize& size) {
  RegisterApplication x;
  x.description = describe(size);
  // Neighbours in the order of submission are of different companies.
  auto user = next_driver_ % companies * users_each
              + next_driver_ / companies % users_each;
  x.description.user = "user-" + std::to_string(user);
  x.driver = EndpointId{"driver-" + std::to_string(next_driver_++)};
  return step(x);
}

void CoreCluster::add_apps(int count, const AppSize& size) {
  for (int i = 0; i < count; ++i)
    (void)add_app(size);
}

} // namespace stoker::benchmark
