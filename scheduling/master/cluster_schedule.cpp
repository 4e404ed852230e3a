// One scheduling pass (document 000, section 6; FORMAT A.1).
//
// A pass gives the same as one that visits every application with every worker,
// but looks only at what can have changed (`Pool`).

#include <algorithm>

#include "scheduling/master/cluster.hpp"

namespace stoker {

void Cluster::schedule() {
  schedule_drivers();
  if (tenants_)
    for (auto key : tenants_->top_up(now_)) {
      touch(key);
      update_demand(key);
    }
  std::optional<QueuePosition> next = QueuePosition{};
  while ((next = next_to_help(*next))) {
    schedule_application(next->app);
    next = QueuePosition{next->position + 1, {}};
  }
  admit_queued();
  // What became free meanwhile is for those who come before in another pass.
  if (resources_changed_)
    return;
  pool_.end_pass();
  for (auto& [name, pool] : named_pools_)
    pool.end_pass();
}

std::optional<QueuePosition> Cluster::next_to_help(QueuePosition from) const {
  auto result = pool_.next_to_help(from);
  for (const auto& [name, pool] : named_pools_)
    if (auto other = pool.next_to_help(from);
        other && (!result || *other < *result))
      result = other;
  return result;
}

// -- drivers ------------------------------------------------------------------

std::vector<WorkerKey> Cluster::workers_for_drivers() {
  std::vector<WorkerKey> result;
  for (auto x = pool_.capacity().first({}); x;
       x = pool_.capacity().next(*x, {}))
    result.push_back(WorkerKey{x->number});
  if (config_.spread_out_drivers)
    random_.shuffle(result);
  else
    std::sort(result.begin(), result.end(), [this](auto a, auto b) {
      return workers_.at(a).id < workers_.at(b).id;
    });
  return result;
}

void Cluster::schedule_drivers() {
  auto fits = [this](DriverKey key) {
    const auto& wanted = drivers_.at(key).description;
    return pool_.capacity().fits({wanted.cores, wanted.memory_mb});
  };
  auto may_run = [this] {
    return !config_.max_drivers || running_drivers_ < *config_.max_drivers;
  };
  if (!may_run()
      || std::none_of(waiting_drivers_.begin(), waiting_drivers_.end(), fits))
    return;
  auto workers = workers_for_drivers();
  std::size_t position = 0;
  std::deque<DriverKey> still_waiting;
  for (auto driver : waiting_drivers_) {
    const auto& wanted = drivers_.at(driver).description;
    auto slots = wanted.executors ? slots_for(*wanted.executors) : 0;
    auto launched = false;
    for (std::size_t visited = 0;
         visited < workers.size() && !launched && may_run(); ++visited) {
      if (!config_.spread_out_drivers)
        position = visited;
      auto key = workers[position];
      position = (position + 1) % workers.size();
      const auto& worker = workers_.at(key);
      if (has_room(worker, {wanted.cores, wanted.memory_mb}, wanted.resources)
          && leaves_room(worker, wanted, slots)) {
        launch_driver(driver, key);
        launched = true;
      }
    }
    if (!launched)
      still_waiting.push_back(driver);
  }
  waiting_drivers_ = std::move(still_waiting);
}

// -- applications -------------------------------------------------------------

ExecutorDemand Cluster::demand_of(const Application& app) const {
  return {app.cores_per_executor, app.memory_per_executor_mb, cores_left(app),
          executors_left(app)};
}

void Cluster::schedule_application(AppKey key) {
  const auto& app = apps_.at(key);
  if (!app.preferred_hosts.empty())
    schedule_on_preferred_hosts(key);
  auto demand = demand_of(app);
  auto enough = static_cast<std::size_t>(workers_needed(demand));
  const auto& capacity = pool_of(app).capacity();
  std::vector<WorkerKey> usable;
  for (auto x = capacity.first(app.executor_size());
       x && usable.size() < enough; x = capacity.next(*x, app.executor_size()))
    if (workers_.at(WorkerKey{x->number})
            .resources.times(app.description.resources_per_executor)
        > 0)
      usable.push_back(WorkerKey{x->number});
  launch_on(key, demand, usable);
  update_demand(key);
}

void Cluster::schedule_on_preferred_hosts(AppKey key) {
  const auto& app = apps_.at(key);
  // Where most are wanted, first.
  std::vector<std::pair<int, std::string>> hosts;
  for (const auto& [host, wanted] : app.preferred_hosts) {
    auto there = app.on_preferred_hosts.find(host);
    auto present = there == app.on_preferred_hosts.end() ? 0 : there->second;
    if (wanted > present && hosts_.contains(host))
      hosts.emplace_back(present - wanted, host);
  }
  std::sort(hosts.begin(), hosts.end());
  for (const auto& [missing, host] : hosts) {
    auto demand = demand_of(app);
    demand.executors_left = std::min(demand.executors_left, -missing);
    std::vector<WorkerKey> usable;
    for (auto worker : hosts_.at(host))
      if (workers_.at(worker).state == WorkerState::ALIVE
          && has_room(workers_.at(worker), app.executor_size(),
                      app.description.resources_per_executor))
        usable.push_back(worker);
    std::stable_sort(usable.begin(), usable.end(), [this](auto a, auto b) {
      return workers_.at(a).cores_free() > workers_.at(b).cores_free();
    });
    launch_on(key, demand, usable);
  }
}

void Cluster::launch_on(AppKey key, const ExecutorDemand& demand,
                        const std::vector<WorkerKey>& workers) {
  const auto& named = apps_.at(key).description.resources_per_executor;
  std::vector<FreeResources> free;
  free.reserve(workers.size());
  for (auto worker : workers)
    free.push_back(free_for(workers_.at(worker), named));
  auto assigned = assign_cores(demand, free, config_.spread_out);
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (assigned[i] > 0)
      launch_executors(key, workers[i], assigned[i],
                       executors_in(demand, assigned[i]));
}

} // namespace stoker
